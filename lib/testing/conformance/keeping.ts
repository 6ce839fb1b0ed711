import assert from 'node:assert/strict';
import { budget, type ConformanceTest, granted } from './store-clients.js';

export const keepingTests: readonly ConformanceTest[] = [
  {
    title: 'keeps the key locked for as long as it is told, and then frees it',
    needs: 'minHold',
    async run(clients) {
      const lease = await clients.take(clients.one, { ttl: 30_000 });
      const releasedAt = performance.now();
      assert.equal(await clients.one.release(lease, clients.ttl), true);
      await clients.assertBusy(clients.other);
      const next = granted(await clients.other.acquire(clients.request(), budget(clients.ttl * 20)));
      assert.ok(performance.now() - releasedAt >= clients.ttl - 2, 'the key was free too soon');
      await clients.other.release(next);
      await clients.assertFree();
    },
  },
  {
    title: 'hands a kept key to one who waited for its holder, when the time has come',
    needs: 'minHold',
    async run(clients) {
      const lease = await clients.take(clients.one, { ttl: 30_000 });
      const waiting = await clients.line(clients.other);
      const releasedAt = performance.now();
      await clients.one.release(lease, clients.ttl);
      const next = granted(await waiting.outcome);
      assert.ok(performance.now() - releasedAt >= clients.ttl - 2, 'the key was free too soon');
      await clients.other.release(next);
      await clients.assertFree();
    },
  },
];
