import { type LockObserver, LockService } from '../../../lib/index.js';
import { ControllableStore } from '../../../lib/testing/index.js';

/** A lock service on a store whose time and misfortunes the test commands. */
export function controlled(observer: LockObserver = {}) {
  const store = new ControllableStore();
  const locks = new LockService({ store, observers: [observer] });
  return { store, locks, clock: store.clock };
}

/** A promise and the way to settle it. */
export function deferred<T = void>() {
  let resolve!: (value: T) => void;
  let reject!: (reason: unknown) => void;
  const promise = new Promise<T>((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });
  return { promise, resolve, reject };
}

/** Everything that can happen without time passing has happened. */
export function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** What a promise has become by now. */
export async function stateOf(promise: Promise<unknown>): Promise<'pending' | 'fulfilled' | 'rejected'> {
  let state: 'pending' | 'fulfilled' | 'rejected' = 'pending';
  promise.then(
    () => (state = 'fulfilled'),
    () => (state = 'rejected'),
  );
  await turn();
  return state;
}
