import type { Benchmark, Finding } from '../harness/benchmark.js';
import { costOverBare } from '../harness/call-cost.js';
import { withLedger } from './ledger.app.js';

/** Both calls are made below the hold, where every promise carries the async context. */
export const reentrantCall: Benchmark = {
  name: 're-entrant call, over the bare call',
  unit: 'µs',
  goal: { atMost: 3 },
  measure: () =>
    withLedger(async ({ ledger }) => {
      let finding: Finding | undefined;
      await ledger.holding('1', async (account) => {
        finding = await costOverBare({
          locked: () => ledger.locked(account),
          bare: () => ledger.bare(account),
          calls: 20_000,
          rounds: 21,
        });
      });
      return finding as Finding;
    }),
};
