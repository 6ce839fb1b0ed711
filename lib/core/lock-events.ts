import type { Instant } from '../base/clock.js';
import type { LockLostError } from '../lock.errors.js';
import type { LockEvent } from '../lock.observer.js';
import type { Lease } from '../stores/lock-store.js';
import type { Hold } from './hold.js';
import type { LockCall } from './lock-settings.js';
import type { Observers } from './observers.js';

/** What happens to the locks of one store, in the words of the observers. */
export class LockEvents {
  constructor(
    private readonly observers: Observers,
    /** The name under which the store was given to the module. */
    private readonly store: string,
  ) {}

  acquired({ key, fencingToken }: Lease, call: LockCall, waited: number): void {
    this.observers.tell('onAcquired', () => ({ ...this.#event(key, call), fencingToken, waited }));
  }

  waiting(key: string, call: LockCall): void {
    this.observers.tell('onWaiting', () => this.#event(key, call));
  }

  busy(key: string, call: LockCall, waited: number, holder: string | undefined): void {
    this.observers.tell('onBusy', () => ({ ...this.#event(key, call), waited, holder }));
  }

  renewed({ key, call }: Hold, ttl: number): void {
    this.observers.tell('onRenewed', () => ({ ...this.#event(key, call), ttl }));
  }

  lost({ key, call }: Hold, error: LockLostError): void {
    this.observers.tell('onLost', () => ({ ...this.#event(key, call), reason: error.reason, error }));
  }

  released({ key, call, since }: Hold, now: Instant): void {
    this.observers.tell('onReleased', () => ({
      ...this.#event(key, call),
      heldFor: now.monotonic - since.monotonic,
    }));
  }

  failed(operation: 'acquire' | 'renew' | 'release', keys: readonly string[], error: unknown): void {
    this.observers.tell('onError', () => ({ store: this.store, operation, keys, error }));
  }

  #event(key: string, { site, mode }: LockCall): LockEvent {
    return { store: this.store, key, site, mode };
  }
}
