import assert from 'node:assert/strict';
import { later, msUntil, systemClock } from '../../base/clock.js';
import { budget, type ConformanceTest, granted, pause } from './store-clients.js';

export const renewingTests: readonly ConformanceTest[] = [
  {
    title: 'ends a lease that nobody renews, and tells its late owner',
    async run(clients) {
      const lease = await clients.take(clients.one);
      await pause(clients.ttl * 1.5);
      await clients.assertFree();
      assert.equal(await clients.one.release(lease), false);
      assert.deepEqual(await clients.one.renew([lease]), ['lost'], 'an ended lease was revived');
      await clients.assertFree();
    },
  },
  {
    title: 'keeps a lease that is renewed',
    async run(clients) {
      const lease = await clients.take(clients.one);
      for (let round = 0; round < 6; round += 1) {
        await pause(clients.ttl / 3);
        assert.deepEqual(await clients.one.renew([lease]), ['renewed']);
      }
      await clients.assertOwnedBy(lease);
      await clients.assertBusy(clients.other);
      assert.equal(await clients.one.release(lease), true);
    },
  },
  {
    title: 'renews for the ttl that the lease then has',
    async run(clients) {
      const lease = await clients.take(clients.one);
      assert.deepEqual(await clients.one.renew([{ ...lease, ttl: clients.ttl * 4 }]), ['renewed']);
      await pause(clients.ttl * 1.5);
      await clients.assertOwnedBy(lease);
      assert.equal(await clients.one.release(lease), true);
    },
  },
  {
    title: 'never ends a lease sooner by renewing it',
    async run(clients) {
      const lease = await clients.take(clients.one, { ttl: clients.ttl * 4 });
      assert.deepEqual(await clients.one.renew([{ ...lease, ttl: clients.ttl / 3 }]), ['renewed']);
      await pause(clients.ttl);
      await clients.assertOwnedBy(lease);
      assert.equal(await clients.one.release(lease), true);
    },
  },
  {
    title: 'renews many in one call, and tells for each what became of it',
    async run(clients) {
      const leases = [];
      for (let index = 0; index < 250; index += 1) {
        leases.push(await clients.take(clients.one, { key: `${clients.key}:${index}`, ttl: 30_000 }));
      }
      const gone = leases.filter((_, index) => index % 50 === 7);
      for (const lease of gone) await clients.one.release(lease);
      const outcomes = await clients.one.renew(leases);
      assert.deepEqual(
        outcomes,
        leases.map((lease) => (gone.includes(lease) ? 'lost' : 'renewed')),
      );
      for (const lease of leases) await clients.one.release(lease);
    },
  },
  {
    title: 'grants a whole ttl to one who waited longer than that',
    async run(clients) {
      const holder = await clients.take(clients.one);
      const waiting = await clients.line(clients.other);
      for (let round = 0; round < 6; round += 1) {
        await pause(clients.ttl / 3);
        assert.deepEqual(await clients.one.renew([holder]), ['renewed']);
      }
      await clients.one.release(holder);
      const lease = granted(await waiting.outcome);
      const left = msUntil(later(lease.grantedAt, lease.ttl), systemClock.now());
      assert.ok(left > 0, 'the lease was over before it was granted');
      assert.deepEqual(await clients.other.renew([lease]), ['renewed']);
      await clients.other.release(lease);
    },
  },
  {
    title: 'gives the key of a dead holder to one who waits',
    async run(clients) {
      const dead = await clients.take(clients.one);
      const next = granted(await clients.other.acquire(clients.request(), budget(clients.ttl * 20)));
      assert.notEqual(next.id, dead.id);
      await clients.assertOwnedBy(next);
      await clients.other.release(next);
    },
  },
];
