import type { Clock } from '../../base/clock.js';

/** What a promise gives within so many milliseconds; after that, this rejects. */
export function within<T>(promise: Promise<T>, timeout: number, clock: Clock): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const timer = clock.setTimer(() => {
      // An event loop that was busy for long sees timers before answers that have come meanwhile.
      setImmediate(() => reject(new Error(`no answer within ${timeout} ms`)));
    }, timeout);
    promise.then(resolve, reject).finally(() => clock.clearTimer(timer));
  });
}
