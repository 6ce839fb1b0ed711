/** From tick to tick of the report, in milliseconds. */
const PERIOD = 5_000;
/** Timers may be a little early. */
const EARLY = 50;

/** The tick at this moment or before, in milliseconds since 1970. */
export function tickAt(now: number): number {
  return Math.floor((now + EARLY) / PERIOD) * PERIOD;
}

export function tickAfter(now: number): number {
  return tickAt(now) + PERIOD;
}
