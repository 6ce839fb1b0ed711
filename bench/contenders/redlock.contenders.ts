import type { Redis } from 'ioredis';
// @ts-expect-error: its types cannot be found with `moduleResolution: nodenext`
import Redlock5 from 'redlock';
// @ts-expect-error: it has no types
import Redlock4 from 'redlock-4';
import { TTL, type WaitingContender, waiting } from './contender.js';

export interface RedlockSettings {
  /** How often it asks again; -1 for ever. */
  readonly retryCount?: number;
}

export function redlock5(clients: readonly Redis[], settings: RedlockSettings = {}): WaitingContender {
  const locks = new Redlock5(clients, settings);
  return waiting('redlock 5', async (key) => {
    const lock = await locks.acquire([key], TTL);
    return () => lock.release();
  });
}

export function redlock4(clients: readonly Redis[], settings: RedlockSettings = {}): WaitingContender {
  const locks = new Redlock4(clients, settings);
  return waiting('redlock 4', async (key) => {
    const lock = await locks.lock(key, TTL);
    return () => lock.unlock();
  });
}
