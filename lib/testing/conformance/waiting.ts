import assert from 'node:assert/strict';
import { isBusy, type Lease } from '../../stores/lock-store.js';
import { budget, type ConformanceTest, granted } from './store-clients.js';

const LONG = { ttl: 30_000 };

export const waitingTests: readonly ConformanceTest[] = [
  {
    title: 'grants to one who waits when the holder releases',
    async run(clients) {
      const holder = await clients.take(clients.one, LONG);
      const waiting = await clients.line(clients.other, LONG);
      await clients.one.release(holder);
      const lease = granted(await waiting.outcome);
      await clients.assertOwnedBy(lease);
      await clients.other.release(lease);
      await clients.assertFree();
    },
  },
  {
    title: 'is busy when the wait is over, and not before',
    async run(clients) {
      const holder = await clients.take(clients.one, LONG);
      const startedAt = performance.now();
      const outcome = await clients.other.acquire(clients.request(LONG), budget(clients.ttl));
      assert.ok(isBusy(outcome));
      assert.ok(performance.now() - startedAt >= clients.ttl - 2, 'it did not wait as long as it should');
      if (outcome.holder !== undefined) assert.equal(outcome.holder, holder.id);
      await clients.one.release(holder);
      await clients.assertFree();
    },
  },
  {
    title: 'leaves nothing behind of one who gave up',
    async run(clients) {
      const holder = await clients.take(clients.one, LONG);
      const waiting = await clients.line(clients.other, LONG);
      waiting.giveUp();
      await waiting.outcome.catch(() => undefined); // how it settles is the store's business
      await clients.one.release(holder);
      await clients.assertFree();
      await clients.one.release(await clients.take(clients.one, LONG));
    },
  },
  {
    title: 'returns a grant that came too late, so that it can be given back',
    async run(clients) {
      for (let round = 0; round < 5; round += 1) {
        const holder = await clients.take(clients.one, LONG);
        const waiting = await clients.line(clients.other, LONG);
        const released = clients.one.release(holder);
        waiting.giveUp();
        await released;
        const outcome = await waiting.outcome.catch(() => undefined);
        if (outcome && !isBusy(outcome)) await clients.other.release(outcome);
        const next = await clients.one.acquire(clients.request(LONG), budget(clients.ttl * 10));
        await clients.one.release(granted(next));
      }
      await clients.assertFree();
    },
  },
  {
    title: 'serves those who wait in the order of their coming',
    needs: 'fair',
    async run(clients) {
      const holder = await clients.take(clients.one, LONG);
      const served: string[] = [];
      const expected: string[] = [];
      const all: Promise<void>[] = [];
      for (let index = 0; index < 10; index += 1) {
        const store = index % 2 === 0 ? clients.other : clients.one;
        const { request, outcome } = await clients.line(store, LONG);
        expected.push(request.id);
        const serve = async (lease: Lease) => {
          served.push(lease.id);
          await store.release(lease);
        };
        all.push(outcome.then(granted).then(serve));
      }
      await clients.one.release(holder);
      await Promise.all(all);
      assert.deepEqual(served, expected);
    },
  },
  {
    title: 'lets one who does not wait pass nobody',
    needs: 'fair',
    async run(clients) {
      const reader = await clients.take(clients.one, { ...LONG, mode: readMode(clients.one.capabilities) });
      const waiting = await clients.line(clients.other, LONG);
      await clients.assertBusy(clients.one, { ...LONG, mode: readMode(clients.one.capabilities) });
      await clients.one.release(reader);
      await clients.other.release(granted(await waiting.outcome));
      await clients.assertFree();
    },
  },
];

/** A reader could be let in beside a reader, if nobody waited: the hardest case, where the store has it. */
function readMode({ shared }: { readonly shared: boolean }) {
  return shared ? 'shared' : 'exclusive';
}
