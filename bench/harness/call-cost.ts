import type { Finding } from './benchmark.js';
import { median, type Round, timeInRounds } from './rounds.js';

export interface Calls {
  readonly locked: () => Promise<unknown>;
  readonly bare: () => Promise<unknown>;
  /** Calls a round, one after another. */
  readonly calls: number;
  readonly rounds: number;
}

/** What a locked call costs over the bare one, in microseconds. */
export async function costOverBare({ locked, bare, calls, rounds }: Calls): Promise<Finding> {
  const measured = await timeInRounds(
    { locked: () => repeat(locked, calls), bare: () => repeat(bare, calls) },
    rounds,
  );
  const each = (pick: (round: Round<'locked' | 'bare'>) => number) =>
    (median(measured.map(pick)) * 1_000) / calls;
  return {
    value: each((round) => round.locked - round.bare),
    detail: `locked ${each((round) => round.locked).toFixed(2)} µs, bare ${each((round) => round.bare).toFixed(2)} µs`,
  };
}

async function repeat(call: () => Promise<unknown>, times: number): Promise<void> {
  for (let done = 0; done < times; done += 1) await call();
}
