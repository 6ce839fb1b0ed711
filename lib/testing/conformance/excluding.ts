import assert from 'node:assert/strict';
import { budget, type ConformanceTest, granted, pause } from './store-clients.js';

export const excludingTests: readonly ConformanceTest[] = [
  {
    title: 'grants a free key to one, and to no other',
    async run(clients) {
      const lease = await clients.take(clients.one);
      await clients.assertOwnedBy(lease);
      await clients.assertBusy(clients.other);
      await clients.assertBusy(clients.one);
      assert.equal(await clients.one.release(lease), true);
      await clients.assertFree();
      await clients.other.release(await clients.take(clients.other));
    },
  },
  {
    title: 'grants what was asked for, from a moment that is not in the future',
    async run(clients) {
      const request = clients.request();
      const lease = granted(await clients.one.acquire(request, budget(0)));
      const { fencingToken: _token, grantedAt, ...rest } = lease;
      assert.deepEqual(rest, request);
      assert.ok(grantedAt.wall <= Date.now() && grantedAt.monotonic <= performance.now());
      await clients.one.release(lease);
    },
  },
  {
    title: 'keeps different keys apart, whatever they are made of',
    async run(clients) {
      const keys = ['a', 'A', 'a ', 'ä', '{tag}:1', '{tag}:2', '%41', "it's", '"', '\\', '*', '日本'];
      const long = 'x'.repeat(512 - clients.key.length - 2);
      const leases = [];
      for (const suffix of [...keys, `${long}1`, `${long}2`]) {
        leases.push(await clients.take(clients.one, { key: `${clients.key}:${suffix}` }));
      }
      for (const lease of leases) {
        assert.deepEqual(await clients.rawOwners(lease.key), [lease.id]);
        assert.equal(await clients.one.release(lease), true, `"${lease.key}" was not released`);
      }
    },
  },
  {
    title: 'answers a repeated request with the lease that it has already',
    async run(clients) {
      const request = clients.request();
      const first = granted(await clients.one.acquire(request, budget(0)));
      const again = granted(await clients.one.acquire(request, budget(0)));
      assert.equal(again.fencingToken, first.fencingToken);
      await clients.assertOwnedBy(first);
      assert.equal(await clients.one.release(again), true);
      await clients.assertFree();
    },
  },
  {
    title: 'releases for its owner only, and only once',
    async run(clients) {
      const lease = await clients.take(clients.one);
      assert.equal(await clients.other.release({ ...lease, id: clients.request().id }), false);
      await clients.assertOwnedBy(lease);
      assert.equal(await clients.one.release(lease), true);
      assert.equal(await clients.one.release(lease), false);
    },
  },
  {
    title: 'lets a stale owner neither release nor renew after a takeover',
    async run(clients) {
      const stale = await clients.take(clients.one);
      const next = granted(await clients.other.acquire(clients.request(), budget(clients.ttl * 10)));
      assert.equal(await clients.one.release(stale), false);
      assert.deepEqual(await clients.one.renew([stale]), ['lost']);
      await clients.assertOwnedBy(next);
      assert.equal(await clients.other.release(next), true);
    },
  },
  {
    title: 'never lets two work at once',
    async run(clients) {
      let inside = 0;
      let done = 0;
      const work = async (index: number) => {
        const store = index % 2 === 0 ? clients.one : clients.other;
        const lease = granted(await store.acquire(clients.request({ ttl: 30_000 }), budget(60_000)));
        inside += 1;
        assert.equal(inside, 1, 'two hold the key');
        await pause(1);
        inside -= 1;
        done += 1;
        await store.release(lease);
      };
      await Promise.all(Array.from({ length: 40 }, (_, index) => work(index)));
      assert.equal(done, 40);
    },
  },
  {
    title: 'gives tokens that only rise',
    needs: 'fencing',
    async run(clients) {
      let last = 0;
      for (let round = 0; round < 10; round += 1) {
        const store = round % 2 === 0 ? clients.one : clients.other;
        const lease = await clients.take(store);
        const token = lease.fencingToken ?? 0;
        assert.ok(Number.isSafeInteger(token) && token > last, `${token} after ${last}`);
        last = token;
        await store.release(lease);
      }
    },
  },
];
