import { defer, isObservable, Observable, of, type Subscriber } from 'rxjs';
import { runInside } from '../core/context.js';
import { lock } from '../core/lock.js';
import type { LockHold } from '../core/lock-hold.js';
import { otherwise } from '../lock.fallbacks.js';
import { serviceOf } from './injected-service.js';
import type { LockedMethod, Method } from './locked-method.js';

/** A method that returns an Observable, locked for each subscription from its beginning to its end. */
export function lockedObservable(method: LockedMethod, original: Method): Method {
  const { site, settings, store, keysOf } = method;
  return function (this: unknown, ...args) {
    return new Observable((subscriber) => {
      const unsubscribed = new AbortController();
      const body = () => original.apply(this, args) as Observable<unknown>;
      const enter = async () => {
        const engine = serviceOf(this, site).engineFor(settings, store, site);
        return lock(engine, keysOf(this, args), { ...settings, site, signal: unsubscribed.signal });
      };
      enter().then(
        (hold) => emitInside(hold, body, subscriber),
        (error) => {
          if (subscriber.closed) return;
          const alternative = otherwise(method, body, this, args)?.(error);
          if (alternative) subscriber.add(defer(() => toObservable(alternative())).subscribe(subscriber));
          else subscriber.error(error);
        },
      );
      return () => unsubscribed.abort();
    });
  };
}

function emitInside(hold: LockHold, body: () => Observable<unknown>, subscriber: Subscriber<unknown>): void {
  const release = () => hold.release(); // never rejects
  if (subscriber.closed) {
    void release();
    return;
  }
  subscriber.add(() => void release());
  // A stream can be ended from outside, unlike a promise: its subscriber learns of a loss at once.
  hold.signal.addEventListener('abort', () => subscriber.error(hold.signal.reason));
  runInside(hold, () => {
    subscriber.add(
      defer(body).subscribe({
        next: (value) => subscriber.next(value),
        error: (error) => void release().then(() => subscriber.error(error)),
        complete: () =>
          void release().then(() => (hold.loss ? subscriber.error(hold.loss) : subscriber.complete())),
      }),
    );
  });
}

/** A fallback may give a value, a promise or an Observable. */
function toObservable(result: unknown): Observable<unknown> {
  if (isObservable(result)) return result;
  return result instanceof Promise ? defer(() => result) : of(result);
}
