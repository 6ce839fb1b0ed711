/** What the two variants took in one round, in milliseconds. */
export interface Round {
  readonly subject: number;
  readonly baseline: number;
}

export interface Variants {
  readonly subject: () => Promise<unknown>;
  readonly baseline: () => Promise<unknown>;
  readonly rounds: number;
}

/** Rounds before the first that counts: the code is compiled and optimised in them. */
const WARM_UP = 3;

/**
 * Times two variants in turn, each first in every other round, so that whatever else the machine does falls on
 * both alike. Compare within a round, then take the median over the rounds.
 */
export async function timeInRounds({ subject, baseline, rounds }: Variants): Promise<readonly Round[]> {
  const measured: Round[] = [];
  for (let round = -WARM_UP; round < rounds; round += 1) {
    const early = round % 2 === 0 ? await time(subject) : undefined;
    const baselineTook = await time(baseline);
    const subjectTook = early ?? (await time(subject));
    if (round >= 0) measured.push({ subject: subjectTook, baseline: baselineTook });
  }
  return measured;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  const upper = sorted[Math.floor(middle)] ?? Number.NaN;
  return Number.isInteger(middle) ? (upper + (sorted[middle - 1] ?? Number.NaN)) / 2 : upper;
}

async function time(variant: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await variant();
  return performance.now() - startedAt;
}
