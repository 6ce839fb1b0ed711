import { randomUUID } from 'node:crypto';
import type { LockService, LockStore, WaitBudget } from 'nestjs-distributed-lock';
import { type Contender, TTL, type WaitingContender, waiting } from './contender.js';

/** `LockService.acquire()` and `release()`, with the lease that is its default: what the goals are about. */
export function ours(locks: LockService): WaitingContender {
  const waits = waiting('ours', async (key) => {
    const hold = await locks.acquire(key, { wait: '10m' });
    return () => hold.release();
  });
  return {
    ...waits,
    turn: async (key) => {
      const hold = await locks.acquire(key);
      await hold.release();
    },
  };
}

/** `LockService.run()`. */
export function oursByRun(locks: LockService): Contender {
  const work = () => {};
  return { name: 'ours, run()', turn: (key) => locks.run(key, work) };
}

/** What the store costs, without the core around it. */
export function ourStore(store: LockStore): Contender {
  const instance = randomUUID();
  const noWait: WaitBudget = { timeout: 0, onWaiting: () => {}, onEnd: () => {} };
  let last = 0;
  return {
    name: 'ours, the store alone',
    turn: async (key) => {
      last += 1;
      const id = `${instance}:${last}`;
      const outcome = await store.acquire({ id, key, ttl: TTL, mode: 'exclusive', permits: 1 }, noWait);
      if ('busy' in outcome) throw new Error(`${key} is busy`);
      if (!(await store.release(outcome))) throw new Error(`${key} was lost`);
    },
  };
}
