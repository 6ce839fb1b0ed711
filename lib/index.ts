export type { Clock, Instant } from './base/clock.js';
export type { Duration } from './base/duration.js';
export { currentLock } from './core/context.js';
export { LockHold } from './core/lock-hold.js';
export { DistributedLock } from './decorators/distributed-lock.decorator.js';
export * from './lock.errors.js';
export { LockModule } from './lock.module.js';
export type * from './lock.observer.js';
export type {
  AcquireOptions,
  DistributedLockOptions,
  FallbackOptions,
  LockKey,
  LockModuleOptions,
  LockOptions,
  LockOptionsFactory,
  OnBusy,
  OnUnavailable,
  RunOptions,
  TryAcquireOptions,
} from './lock.options.js';
export { type BusyResult, LockService } from './lock.service.js';
export type * from './stores/lock-store.js';
export { isBusy } from './stores/lock-store.js';
export { type MemoryStoreOptions, memoryStore } from './stores/memory/memory.store.js';
