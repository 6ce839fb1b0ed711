import { Mutex } from 'async-mutex';
import type { LockService } from 'nestjs-distributed-lock';
import type { Benchmark } from '../harness/benchmark.js';
import { median, timeInRounds } from '../harness/rounds.js';
import { withLedger } from './ledger.app.js';

const CALLERS = 1_000;
const CALLS_EACH = 10;
const HAND_OFFS = CALLERS * CALLS_EACH;

/** `async-mutex` is a queue in memory and no more: no lease, no renewal, no context to re-enter. */
export const handOff: Benchmark = {
  name: "1,000 callers on one key, of async-mutex's rate",
  unit: '×',
  goal: { atLeast: 0.5 },
  measure: () =>
    withLedger(async ({ locks }) => {
      const mutex = new Mutex();
      const work = async () => {};
      await waitForSiblings(locks, work);
      const measured = await timeInRounds(
        {
          ours: () => fromAllCallers(() => locks.run('counter', work)),
          theirs: () => fromAllCallers(() => mutex.runExclusive(work)),
        },
        21,
      );
      const rate = (whose: 'ours' | 'theirs') => HAND_OFFS / median(measured.map((round) => round[whose]));
      return {
        value: median(measured.map(({ ours, theirs }) => theirs / ours)),
        detail: `hand-offs a millisecond: ours ${rate('ours').toFixed(0)}, async-mutex ${rate('theirs').toFixed(0)}`,
      };
    }),
};

/**
 * Waits of the other kind first, as they occur in any application: code that has met only one kind of object runs
 * faster than it will ever again.
 */
async function waitForSiblings(locks: LockService, work: () => Promise<void>): Promise<void> {
  const enter = () => locks.run('siblings', work);
  for (let done = 0; done < 200; done += 1) {
    await locks.run('siblings', () => Promise.all([enter(), enter(), enter()]));
  }
}

async function fromAllCallers(enter: () => Promise<void>): Promise<void> {
  const caller = async () => {
    for (let done = 0; done < CALLS_EACH; done += 1) await enter();
  };
  await Promise.all(Array.from({ length: CALLERS }, caller));
}
