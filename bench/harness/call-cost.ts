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
  const measured = await timeInRounds({
    subject: () => repeat(locked, calls),
    baseline: () => repeat(bare, calls),
    rounds,
  });
  const each = (pick: (round: Round) => number) => (median(measured.map(pick)) * 1_000) / calls;
  return {
    value: each(({ subject, baseline }) => subject - baseline),
    detail: `locked ${each(({ subject }) => subject).toFixed(2)} µs, bare ${each(({ baseline }) => baseline).toFixed(2)} µs`,
  };
}

async function repeat(call: () => Promise<unknown>, times: number): Promise<void> {
  for (let done = 0; done < times; done += 1) await call();
}
