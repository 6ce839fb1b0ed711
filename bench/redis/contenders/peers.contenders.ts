import type { Redis } from 'ioredis';
import { Mutex } from 'redis-semaphore';
import { createLock, IoredisAdapter } from 'redlock-universal';
import { TTL, type WaitingContender, waiting } from '../../contenders/contender.js';
import { redlock5 } from '../../contenders/redlock.contenders.js';
import { loadVerrou } from './verrou.js';

/** Longer than any wait of a benchmark, in milliseconds. */
const PATIENCE = 600_000;

/** The other libraries, with the intervals at which they ask again by default, and patience to wait. */
export async function peers(client: Redis): Promise<readonly WaitingContender[]> {
  return [
    redlock5([client], { retryCount: -1 }),
    redisSemaphore(client),
    await verrou(client),
    redlockUniversal(client),
  ];
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
