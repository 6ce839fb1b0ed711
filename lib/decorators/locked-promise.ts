import { isObservable } from 'rxjs';
import { runLocked } from '../core/lock.js';
import type { LockCall } from '../core/lock-settings.js';
import { LockOptionsError } from '../lock.errors.js';
import { serviceOf } from './injected-service.js';
import { alternativesOf, type LockedMethod, type Method } from './locked-method.js';

/** A method that returns a promise, locked for as long as that promise. */
export function lockedPromise(method: LockedMethod, original: Method): Method {
  const { site, settings, store, keysOf } = method;
  const call: LockCall = { ...settings, site, signal: undefined };
  return async function (this: unknown, ...args) {
    const body = () => {
      const result = original.apply(this, args);
      if (isObservable(result)) throw undeclaredObservable(site);
      return result;
    };
    const engine = serviceOf(this, site).engine(store, site);
    return runLocked(engine, keysOf(this, args), call, alternativesOf(method, this, args, body), body);
  };
}

function undeclaredObservable(site: string): LockOptionsError {
  return new LockOptionsError(
    'the method returned an Observable, which only its declared return type could have told beforehand: declare ' +
      'it as Observable<…> and compile with "emitDecoratorMetadata": true.',
    { site },
  );
}
