import { redisStore } from 'nestjs-distributed-lock/redis';
import { withLocks } from '../contenders/locks.app.js';
import type { Benchmark } from '../harness/benchmark.js';
import { Child } from '../harness/child.js';
import { KEY, WAITS, type Wait } from './order.messages.js';
import { withRedis } from './redis.app.js';

const PROCESSES = 4;

type Waiters = Child<'wait', 'ready' | 'in line' | readonly Wait[]>;

/** Two that ask within the same round trip have no order: only the server could tell which came first. */
export const order: Benchmark = {
  name: `redis: ${PROCESSES * WAITS} waits from ${PROCESSES} processes, served before one that stood in line already`,
  unit: 'inversions',
  goal: { atMost: 0 },
  measure: () =>
    withRedis(async (server) => {
      const processes: Waiters[] = Array.from(
        { length: PROCESSES },
        () => new Child(new URL('./order.child.js', import.meta.url), server.url),
      );
      try {
        await allAnswer(processes);
        const waits = await withLocks(redisStore({ client: server.client() }), async (locks) => {
          const hold = await locks.acquire(KEY);
          for (const each of processes) each.tell('wait');
          await allAnswer(processes);
          await hold.release();
          return (await allAnswer(processes)).flat() as Wait[];
        });
        const served = waits.toSorted((a, b) => a.token - b.token);
        const { pairs, inverted } = inversionsOf(served);
        return {
          value: inverted,
          detail: `of ${pairs} pairs, one of which stood in line when the other asked`,
        };
      } finally {
        await Promise.all(processes.map((each) => each.end()));
      }
    }),
};

function allAnswer(processes: readonly Waiters[]) {
  return Promise.all(processes.map((each) => each.answer()));
}

function inversionsOf(served: readonly Wait[]): { readonly pairs: number; readonly inverted: number } {
  let pairs = 0;
  let inverted = 0;
  for (const [index, first] of served.entries()) {
    for (const second of served.slice(index + 1)) {
      if (first.inLineAt < second.askedAt) pairs += 1;
      if (second.inLineAt < first.askedAt) {
        pairs += 1;
        inverted += 1;
      }
    }
  }
  return { pairs, inverted };
}
