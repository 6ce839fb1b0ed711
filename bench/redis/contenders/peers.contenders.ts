import type { Redis } from 'ioredis';
import { Mutex } from 'redis-semaphore';
// @ts-expect-error: its types cannot be found with `moduleResolution: nodenext`
import Redlock from 'redlock';
import { createLock, IoredisAdapter } from 'redlock-universal';
import { TTL, type WaitingContender, waiting } from './contender.js';
import { loadVerrou } from './verrou.js';

/** Longer than any wait of a benchmark, in milliseconds. */
const PATIENCE = 600_000;

/** The other libraries, with the intervals at which they ask again by default, and patience to wait. */
export async function peers(client: Redis): Promise<readonly WaitingContender[]> {
  return [redlock(client), redisSemaphore(client), await verrou(client), redlockUniversal(client)];
}

function redlock(client: Redis): WaitingContender {
  const locks = new Redlock([client], { retryCount: -1 });
  return waiting('redlock 5', async (key) => {
    const lock = await locks.acquire([key], TTL);
    return () => lock.release();
  });
}

function redisSemaphore(client: Redis): WaitingContender {
  return waiting('redis-semaphore', async (key) => {
    const mutex = new Mutex(client, key, { lockTimeout: TTL, acquireTimeout: PATIENCE });
    await mutex.acquire();
    return () => mutex.release();
  });
}

async function verrou(client: Redis): Promise<WaitingContender> {
  const { Verrou, redisStore } = await loadVerrou();
  const locks = new Verrou({
    default: 'redis',
    stores: { redis: { driver: redisStore({ connection: client }) } },
  });
  return waiting('verrou', async (key) => {
    const lock = locks.createLock(key, TTL);
    await lock.acquire();
    return () => lock.release();
  });
}

function redlockUniversal(client: Redis): WaitingContender {
  const adapter = new IoredisAdapter(client);
  return waiting('redlock-universal', async (key) => {
    const lock = createLock({ adapter, key, ttl: TTL, retryAttempts: 100 });
    const handle = await lock.acquire();
    return () => lock.release(handle);
  });
}
