import { createRequire } from 'node:module';
import type { Redis } from 'ioredis-5';

/** What their hold can do. */
interface Held {
  release(): Promise<unknown>;
}

/** Another library that locks the same keys. */
export interface Peer {
  readonly name: string;
  /** What the names of their keys in Redis begin with, and so ours have to. */
  readonly keyPrefix: string;
  /** Undefined when it is busy. */
  tryAcquire(key: string, ttl: number): Promise<Held | undefined>;
  /** Waits for as long as it takes. */
  acquire(key: string, ttl: number): Promise<Held>;
}

/** Neither release has types that TypeScript finds under `nodenext`, or any. */
interface Redlock5 {
  acquire(keys: string[], ttl: number, settings?: object): Promise<Held>;
}
interface Redlock4 {
  lock(key: string, ttl: number): Promise<{ unlock(): Promise<unknown> }>;
}
type RedlockConstructor<T> = new (clients: readonly unknown[], settings?: object) => T;

const require = createRequire(import.meta.url);
const { default: RedlockV5 } = require('redlock') as { default: RedlockConstructor<Redlock5> };
const RedlockV4 = require('redlock-4') as RedlockConstructor<Redlock4>;

const RETRY = { retryDelay: 10, retryJitter: 5 };

export function redlock5(clients: readonly Redis[]): Peer {
  const redlock = new RedlockV5(clients, RETRY);
  const acquire = (key: string, ttl: number, retryCount: number) =>
    redlock.acquire([`lock:${key}`], ttl, { retryCount });
  return {
    name: 'redlock 5.0.0-beta.2',
    keyPrefix: 'lock:',
    tryAcquire: (key, ttl) => orBusy(acquire(key, ttl, 0)),
    acquire: (key, ttl) => acquire(key, ttl, -1),
  };
}

export function redlock4(clients: readonly Redis[]): Peer {
  const acquire = async (key: string, ttl: number, retryCount: number): Promise<Held> => {
    const redlock = new RedlockV4(clients, { ...RETRY, retryCount });
    const lock = await redlock.lock(`lock:${key}`, ttl);
    return { release: () => lock.unlock() };
  };
  return {
    name: 'redlock 4.2.0',
    keyPrefix: 'lock:',
    tryAcquire: (key, ttl) => orBusy(acquire(key, ttl, 0)),
    acquire: (key, ttl) => acquire(key, ttl, -1),
  };
}

/** A refusal of theirs is an error. */
function orBusy(attempt: Promise<Held>): Promise<Held | undefined> {
  return attempt.catch(() => undefined);
}
