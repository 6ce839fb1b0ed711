import assert from 'node:assert/strict';
import { LockOptionsError } from '../../lock.errors.js';
import { budget, type ConformanceTest, granted } from './store-clients.js';

const OF_TWO = { permits: 2, ttl: 30_000 } as const;

export const permitTests: readonly ConformanceTest[] = [
  {
    title: 'lets in as many as there are permits',
    needs: 'permits',
    async run(clients) {
      const first = await clients.take(clients.one, OF_TWO);
      const second = await clients.take(clients.other, OF_TWO);
      await clients.assertOwnedBy(first, second);
      await clients.assertBusy(clients.one, OF_TWO);
      const third = await clients.line(clients.one, OF_TWO);
      await clients.other.release(second);
      const lease = granted(await third.outcome);
      await clients.assertOwnedBy(first, lease);
      await clients.one.release(first);
      await clients.one.release(lease);
      await clients.assertFree();
    },
  },
  {
    title: 'gives the permit of a dead holder to one who waits',
    needs: 'permits',
    async run(clients) {
      await clients.take(clients.one, { permits: 2 });
      const alive = await clients.take(clients.other, OF_TWO);
      const next = granted(await clients.other.acquire(clients.request(OF_TWO), budget(clients.ttl * 20)));
      await clients.assertOwnedBy(alive, next);
      await clients.other.release(alive);
      await clients.other.release(next);
    },
  },
  {
    title: 'refuses another number of permits while the key is in use',
    needs: 'permits',
    async run(clients) {
      const lease = await clients.take(clients.one, OF_TWO);
      for (const permits of [1, 3]) {
        const other = clients.other.acquire(clients.request({ permits }), budget(0));
        await assert.rejects(
          other,
          (error) => error instanceof LockOptionsError && error.key === clients.key,
        );
      }
      await clients.one.release(lease);
      await clients.other.release(await clients.take(clients.other, { permits: 3 }));
      await clients.assertFree();
    },
  },
];
