import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { Redis } from 'ioredis';
import type { LockStore } from 'nestjs-distributed-lock';
import { redisStore } from 'nestjs-distributed-lock/redis';
import { sharedTime } from '../harness/child.js';
import { KEY, WAITS, type Wait } from './order.messages.js';

const [, , url = ''] = process.argv;
const client = new Redis(url);
const store: LockStore = redisStore({ client });
const instance = randomUUID();
let last = 0;

/** Takes the key, and releases it at once. */
async function wait(key: string, onWaiting: () => void = () => {}): Promise<Wait> {
  last += 1;
  const request = { id: `${instance}:${last}`, key, ttl: 30_000, mode: 'exclusive', permits: 1 } as const;
  const askedAt = sharedTime();
  let inLineAt = Number.NaN;
  const outcome = await store.acquire(request, {
    timeout: 60_000,
    onWaiting: () => {
      inLineAt = sharedTime();
      onWaiting();
    },
    onEnd: () => {},
  });
  if ('busy' in outcome) throw new Error('nobody gave the key back');
  await store.release(outcome);
  return { askedAt, inLineAt, token: outcome.fencingToken ?? Number.NaN };
}

/** The first wait opens the connection on which this process is woken. */
async function openInbox(): Promise<void> {
  const key = `bench:${instance}`;
  await client.set(`lock:${key}`, 'another', 'PX', 60_000);
  await wait(key, () => void client.del(`lock:${key}`));
}

async function waitAll(): Promise<void> {
  let inLine = 0;
  const waits = Array.from({ length: WAITS }, async () => {
    await setTimeout(Math.random() * 200);
    return wait(KEY, () => {
      inLine += 1;
      if (inLine === WAITS) process.send?.('in line');
    });
  });
  process.send?.(await Promise.all(waits));
}

process.on('message', () => void waitAll());
process.once('disconnect', () => {
  void store.close();
  client.disconnect();
});
await openInbox();
process.send?.('ready');
