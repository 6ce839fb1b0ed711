import { onTestFinished } from 'vitest';
import { type LockHold, LockService, type LockStore } from '../../../lib/index.js';
import { type RedisStoreOptions, redisStore } from '../../../lib/stores/redis/index.js';
import { EventLog } from '../event-log.js';
import type { RedisServer } from './redis-server.js';
import { until } from './until.js';

/** Locks as an application has them, without the application. */
export interface RedisLocks {
  readonly locks: LockService;
  readonly store: LockStore;
  readonly log: EventLog;
  /** What the store warned of. */
  readonly warnings: readonly string[];
  /** As the application does it; by itself when the test has ended. */
  close(): Promise<void>;
}

/** `storeTimeout`: until a silent store counts as unavailable, in milliseconds. */
export function locksOn(options: RedisStoreOptions, storeTimeout = 400): RedisLocks {
  const warnings: string[] = [];
  const store = redisStore({ onWarning: (message) => warnings.push(message), ...options });
  return { ...locksOf(store, storeTimeout), warnings };
}

export function locksOf(store: LockStore, storeTimeout: number): Omit<RedisLocks, 'warnings'> {
  const log = new EventLog();
  const locks = new LockService({ store, observers: [log], storeTimeout, shutdownTimeout: 0 });
  const close = async () => {
    locks.beforeApplicationShutdown();
    await locks.onApplicationShutdown();
  };
  onTestFinished(close);
  return { locks, store, log, close };
}

/** Every key of these servers but the fencing tokens of locks, which end by themselves. */
export async function leftIn(...servers: readonly RedisServer[]): Promise<readonly string[]> {
  const left: string[] = [];
  for (const server of servers) {
    for (const key of (await server.command('KEYS', '*')) as readonly string[]) {
      const expires = Number(await server.command('PTTL', key)) > 0;
      if (!(key.endsWith(':fence') && expires)) left.push(key);
    }
  }
  return left;
}

/** Resolves when nothing is left; soon, that is, and not only when leases of half a minute end. */
export async function nothingLeftIn(...servers: readonly RedisServer[]): Promise<void> {
  await until('nothing is left in Redis', async () => (await leftIn(...servers)).length === 0, 8_000);
}

/** After healing: a key can be had again when leases have ended, and a second later (on a slow machine, three). */
export async function worksAgain({ locks }: RedisLocks, key: string, ttl: number): Promise<void> {
  let hold: LockHold | undefined;
  const tryIt = async () => {
    hold = await locks.acquire(key, { ttl, wait: ttl });
    return true;
  };
  await until(`${key} can be locked again`, tryIt, ttl + 3_000);
  await hold?.release();
}

/** Writes down the loss of a hold and the grant to another, in their order. */
export class Order {
  readonly entries: string[] = [];

  lossOf(hold: LockHold): void {
    hold.signal.addEventListener('abort', () => this.entries.push('lost'));
  }

  async grant(acquired: Promise<LockHold>): Promise<LockHold> {
    const hold = await acquired;
    this.entries.push('granted');
    return hold;
  }
}
