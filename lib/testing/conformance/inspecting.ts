import assert from 'node:assert/strict';
import type { ConformanceTest } from './store-clients.js';

export const inspectingTests: readonly ConformanceTest[] = [
  {
    title: 'tells who holds a key, for how long, and who waits',
    async run(clients) {
      assert.equal(await clients.one.inspect(clients.key), null);
      const lease = await clients.take(clients.one, { ttl: 30_000 });
      const waiting = await clients.line(clients.other);
      const state = await clients.other.inspect(clients.key);
      const [holder, ...others] = state?.holders ?? [];
      assert.deepEqual(others, []);
      assert.equal(holder?.id, lease.id);
      assert.equal(holder?.fencingToken, lease.fencingToken);
      assert.ok(holder && holder.expiresIn > 0 && holder.expiresIn <= 30_000);
      if (clients.one.capabilities.fair) {
        assert.deepEqual(
          state?.waiters.map(({ id }) => id),
          [waiting.request.id],
        );
      }
      waiting.giveUp();
      await waiting.outcome.catch(() => undefined);
      await clients.one.release(lease);
      await clients.assertFree();
    },
  },
  {
    title: 'lists what is held, by prefix',
    async run(clients) {
      const keys = ['a', 'b', 'c'].map((suffix) => `${clients.key}:${suffix}`);
      const leases = [];
      for (const key of keys) leases.push(await clients.take(clients.one, { key, ttl: 30_000 }));
      assert.deepEqual((await keysOf(clients.other.list(`${clients.key}:`))).sort(), keys);
      assert.deepEqual(await keysOf(clients.other.list(`${clients.key}:b`)), [`${clients.key}:b`]);
      for (const lease of leases) await clients.one.release(lease);
      assert.deepEqual(await keysOf(clients.other.list(`${clients.key}:`)), []);
    },
  },
  {
    title: 'takes a key from its holder by force, and hands it to one who waits',
    async run(clients) {
      assert.equal(await clients.one.forceRelease(clients.key), false);
      const lease = await clients.take(clients.one, { ttl: 30_000 });
      const waiting = await clients.line(clients.other);
      assert.equal(await clients.other.forceRelease(clients.key), true);
      const outcome = await waiting.outcome;
      assert.ok(!('busy' in outcome));
      assert.deepEqual(await clients.one.renew([lease]), ['lost']);
      assert.equal(await clients.one.release(lease), false);
      await clients.other.release(outcome);
    },
  },
  {
    title: 'can be pinged',
    async run(clients) {
      await clients.one.ping();
    },
  },
];

async function keysOf(states: AsyncIterable<{ readonly key: string }>): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of states) keys.push(key);
  return keys;
}
