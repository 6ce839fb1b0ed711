interface Limits {
  readonly atLeast: number;
  readonly atMost: number;
}

/** Half a period, within limits, in whole milliseconds. */
export function halfOf(period: number, { atLeast, atMost }: Limits): number {
  return Math.round(Math.min(atMost, Math.max(atLeast, period / 2)));
}
