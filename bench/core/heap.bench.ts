import { setImmediate } from 'node:timers/promises';
import type { LockService } from 'nestjs-distributed-lock';
import type { Benchmark } from '../harness/benchmark.js';
import { withLedger } from './ledger.app.js';

const KEYS = 100_000;
const TURNS = 1_000_000;
/** Keys held at the same time. */
const AT_ONCE = 1_000;
const MEGABYTE = 2 ** 20;

export const heap: Benchmark = {
  name: 'heap left after 1,000,000 turns on 100,000 keys',
  unit: 'MB',
  goal: { atMost: 5 },
  measure: () =>
    withLedger(async ({ locks }) => {
      await takeTurns(locks, KEYS); // every key once, so that what grows only once has grown
      const before = await heapUsed();
      await takeTurns(locks, TURNS);
      const after = await heapUsed();
      return {
        value: Math.abs(after - before),
        detail: `${before.toFixed(1)} MB before, ${after.toFixed(1)} MB after`,
      };
    }),
};

async function takeTurns(locks: LockService, turns: number): Promise<void> {
  for (let first = 0; first < turns; first += AT_ONCE) {
    const keys = Array.from({ length: AT_ONCE }, (_, index) => `heap:${(first + index) % KEYS}`);
    const holds = await Promise.all(keys.map((key) => locks.acquire(key)));
    await Promise.all(holds.map((hold) => hold.release()));
  }
}

/** What lives on, in megabytes. Twice, with a turn of the event loop between: finalizers free more. */
async function heapUsed(): Promise<number> {
  if (!globalThis.gc) throw new Error('run node with --expose-gc');
  for (let pass = 0; pass < 2; pass += 1) {
    await setImmediate();
    globalThis.gc();
  }
  return process.memoryUsage().heapUsed / MEGABYTE;
}
