/** Rounds before the first that counts: the code is compiled and optimised in them. */
const WARM_UP = 3;

/** What each variant took in one round, in milliseconds. */
export type Round<Name extends string> = Readonly<Record<Name, number>>;

/**
 * Times variants in turn, in another order every round, so that whatever else the machine does (and whatever one
 * leaves to be collected) falls on all alike. Compare within a round, then take the median over the rounds.
 */
export async function timeInRounds<Name extends string>(
  variants: Readonly<Record<Name, () => Promise<unknown>>>,
  rounds: number,
): Promise<readonly Round<Name>[]> {
  const names = Object.keys(variants) as Name[];
  const measured: Round<Name>[] = [];
  for (let round = -WARM_UP; round < rounds; round += 1) {
    const took = {} as Record<Name, number>;
    for (const name of inOrderOf(round + WARM_UP, names)) took[name] = await time(variants[name]);
    if (round >= 0) measured.push(took);
  }
  return measured;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  const upper = sorted[Math.floor(middle)] ?? Number.NaN;
  return Number.isInteger(middle) ? (upper + (sorted[middle - 1] ?? Number.NaN)) / 2 : upper;
}

/** The smallest of the values that so large a share of them does not exceed. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}

/** Every other round backwards, and each two rounds begin with another. */
export function inOrderOf<T>(round: number, all: readonly T[]): readonly T[] {
  const first = Math.floor(round / 2) % all.length;
  const order = [...all.slice(first), ...all.slice(0, first)];
  return round % 2 === 0 ? order : order.toReversed();
}

async function time(variant: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await variant();
  return performance.now() - startedAt;
}
