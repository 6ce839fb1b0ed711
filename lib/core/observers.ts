import type { LockObserver } from '../lock.observer.js';

type EventName = keyof LockObserver;
type EventOf<N extends EventName> = Parameters<NonNullable<LockObserver[N]>>[0];

/** Tells all observers, and lets none of them harm the lock. */
export class Observers {
  constructor(
    readonly observers: readonly LockObserver[],
    /** Where an observer's own failure goes. */
    readonly onFailure: (error: unknown) => void,
  ) {}

  tell<N extends EventName>(name: N, event: () => EventOf<N>): void {
    for (const observer of this.observers) {
      const method = observer[name] as ((event: EventOf<N>) => unknown) | undefined;
      if (!method) continue;
      try {
        const result = method.call(observer, event());
        if (result instanceof Promise) result.catch(this.onFailure);
      } catch (error) {
        this.onFailure(error);
      }
    }
  }
}
