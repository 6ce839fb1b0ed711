import type { Benchmark } from '../harness/benchmark.js';
import { costOverBare } from '../harness/call-cost.js';
import { withLedger } from './ledger.app.js';

export const uncontendedCall: Benchmark = {
  name: 'uncontended call, over the bare call',
  unit: 'µs',
  goal: { atMost: 15 },
  measure: () =>
    withLedger(({ ledger }) =>
      costOverBare({
        locked: () => ledger.locked('1'),
        bare: () => ledger.bare('1'),
        calls: 10_000,
        rounds: 21,
      }),
    ),
};
