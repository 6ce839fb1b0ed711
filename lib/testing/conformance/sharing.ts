import assert from 'node:assert/strict';
import { budget, type ConformanceTest, granted } from './store-clients.js';

const READ = { mode: 'shared', ttl: 30_000 } as const;
const WRITE = { mode: 'exclusive', ttl: 30_000 } as const;

export const sharingTests: readonly ConformanceTest[] = [
  {
    title: 'lets readers in together, and no writer beside them',
    needs: 'shared',
    async run(clients) {
      const first = await clients.take(clients.one, READ);
      const second = await clients.take(clients.other, READ);
      await clients.assertOwnedBy(first, second);
      await clients.assertBusy(clients.other, WRITE);
      const writer = await clients.line(clients.one, WRITE);
      await clients.one.release(first);
      await clients.assertOwnedBy(second);
      await clients.other.release(second);
      const lease = granted(await writer.outcome);
      await clients.assertBusy(clients.other, READ);
      await clients.one.release(lease);
      await clients.assertFree();
    },
  },
  {
    title: 'makes a reader wait behind a writer that waits, and then lets all readers in',
    needs: 'shared',
    async run(clients) {
      const reader = await clients.take(clients.one, READ);
      const writer = await clients.line(clients.other, WRITE);
      const late = [await clients.line(clients.one, READ), await clients.line(clients.other, READ)];
      await clients.one.release(reader);
      const written = granted(await writer.outcome);
      await clients.assertOwnedBy(written);
      await clients.other.release(written);
      const [first, second] = await Promise.all(late.map(async ({ outcome }) => granted(await outcome)));
      assert.ok(first && second);
      await clients.assertOwnedBy(first, second);
      await clients.one.release(first);
      await clients.other.release(second);
      await clients.assertFree();
    },
  },
  {
    title: 'lets readers go on when a writer before them gives up',
    needs: 'shared',
    async run(clients) {
      const reader = await clients.take(clients.one, READ);
      const writer = await clients.line(clients.other, WRITE);
      const late = await clients.line(clients.one, READ);
      writer.giveUp();
      const lease = granted(await late.outcome);
      await clients.assertOwnedBy(reader, lease);
      await clients.one.release(reader);
      await clients.one.release(lease);
      await clients.assertFree();
    },
  },
  {
    title: 'frees the places of readers that died',
    needs: 'shared',
    async run(clients) {
      await clients.take(clients.one, { mode: 'shared' });
      const alive = await clients.take(clients.other, READ);
      const writer = clients.one.acquire(clients.request(WRITE), budget(clients.ttl * 20));
      await clients.other.release(alive);
      await clients.one.release(granted(await writer));
      await clients.assertFree();
    },
  },
];
