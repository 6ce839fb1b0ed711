import { isObservable } from 'rxjs';
import { lock } from '../core/lock.js';
import { runLocked } from '../core/lock-hold.js';
import type { LockCall } from '../core/lock-settings.js';
import { LockOptionsError } from '../lock.errors.js';
import { otherwise } from '../lock.fallbacks.js';
import { serviceOf } from './injected-service.js';
import type { LockedMethod, Method } from './locked-method.js';

/** A method that returns a promise, locked for as long as that promise. */
export function lockedPromise(method: LockedMethod, original: Method): Method {
  const { site, settings, store, keysOf } = method;
  const call: LockCall = { ...settings, site, signal: undefined };
  return function (this: unknown, ...args) {
    const body = () => {
      const result = original.apply(this, args);
      if (isObservable(result)) throw undeclaredObservable(site);
      return result;
    };
    try {
      const engine = serviceOf(this, site).engineFor(settings, store, site);
      return runLocked(lock(engine, keysOf(this, args), call), body, otherwise(method, body, this, args));
    } catch (error) {
      return Promise.reject(error); // not async itself: that would be one promise more a call
    }
  };
}

function undeclaredObservable(site: string): LockOptionsError {
  return new LockOptionsError(
    'the method returned an Observable, which only its declared return type could have told beforehand: declare ' +
      'it as Observable<…> and compile with "emitDecoratorMetadata": true.',
    { site },
  );
}
