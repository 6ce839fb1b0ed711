import type { LockLossReason, LockLostError } from './lock.errors.js';
import type { LockMode } from './stores/lock-store.js';

/** What every event tells. */
export interface LockEvent {
  /** The name under which the store was given to the module: `default` unless there are several. */
  readonly store: string;
  readonly key: string;
  /** The method or call that asked, such as `OrderService.ship`, where known. */
  readonly site: string | undefined;
  readonly mode: LockMode;
}

export interface LockAcquiredEvent extends LockEvent {
  readonly fencingToken: number | undefined;
  /** From asking to the grant, in milliseconds. */
  readonly waited: number;
}

export interface LockBusyEvent extends LockEvent {
  /** Milliseconds. */
  readonly waited: number;
  /** The id of a holder, where the store can tell. */
  readonly holder: string | undefined;
}

export interface LockRenewedEvent extends LockEvent {
  /** From now on the lease lasts this long, in milliseconds. */
  readonly ttl: number;
}

export interface LockLostEvent extends LockEvent {
  readonly reason: LockLossReason;
  readonly error: LockLostError;
}

export interface LockReleasedEvent extends LockEvent {
  /** From the grant to the release, in milliseconds. */
  readonly heldFor: number;
}

export interface LockFailureEvent {
  readonly store: string;
  readonly operation: 'acquire' | 'renew' | 'release';
  /** The keys that the failed operation was about. */
  readonly keys: readonly string[];
  /** What the store rejected with. */
  readonly error: unknown;
}

/**
 * Told what happens to locks, for metrics, traces and logs. Every method is optional. Calls are synchronous and
 * not awaited; one that throws (or rejects) harms nothing and is logged.
 *
 * Re-entrant calls take no lease and make no events, but for `onBusy` when the wait for a sibling ran out.
 */
export interface LockObserver {
  /** A lease was granted. */
  onAcquired?(event: LockAcquiredEvent): void;
  /** The wait ran out, or there was none. */
  onBusy?(event: LockBusyEvent): void;
  /** The key is held by another, and the call begins to wait. */
  onWaiting?(event: LockEvent): void;
  /** The store confirmed a renewal. */
  onRenewed?(event: LockRenewedEvent): void;
  /** A hold ended before its work did; its `signal` has aborted. */
  onLost?(event: LockLostEvent): void;
  /** The store confirmed a release. */
  onReleased?(event: LockReleasedEvent): void;
  /** The store failed; renewals and releases are tried again by themselves. */
  onError?(event: LockFailureEvent): void;
}
