import { AsyncLocalStorage } from 'node:async_hooks';
import { LockOptionsError } from '../lock.errors.js';
import type { LockHold } from './lock-hold.js';

const contexts = new AsyncLocalStorage<LockHold>();

/** The hold that the current async context entered last, whether or not it has ended since. */
export function enteredHold(): LockHold | undefined {
  return contexts.getStore();
}

export function runInside<R>(hold: LockHold, fn: () => R): R {
  return contexts.run(hold, fn);
}

/**
 * The hold of the current async context: that of the innermost locked call, or with `key` the innermost one
 * that holds this key. Throws where there is none, so that nobody works unlocked by mistake.
 */
export function currentLock(key?: string): LockHold {
  for (let hold = enteredHold(); hold; hold = hold.outer) {
    const found = key === undefined ? hold : hold.ofKey(key);
    if (found && !found.isReleased) return found;
  }
  throw new LockOptionsError(
    `currentLock(${key === undefined ? '' : `'${key}'`}) was called where ${key === undefined ? 'no lock' : `"${key}"`} ` +
      'is held: call it below a @DistributedLock method, LockService.run() or LockHold.run().',
    { key },
  );
}
