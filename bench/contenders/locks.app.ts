import { NestFactory } from '@nestjs/core';
import { LockModule, LockService, type LockStore } from 'nestjs-distributed-lock';

export interface LocksApp {
  readonly locks: LockService;
  close(): Promise<void>;
}

/** A Nest application whose locks are in this store. */
export async function openLocks(store: LockStore): Promise<LocksApp> {
  const app = await NestFactory.createApplicationContext(LockModule.forRoot({ store }), { logger: false });
  return { locks: app.get(LockService), close: () => app.close() };
}

export async function withLocks<R>(
  store: LockStore,
  measure: (locks: LockService) => Promise<R>,
): Promise<R> {
  const { locks, close } = await openLocks(store);
  try {
    return await measure(locks);
  } finally {
    await close();
  }
}
