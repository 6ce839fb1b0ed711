import type { Clock, Instant } from '../base/clock.js';

/** `exclusive`: one holder. `shared`: many readers, or one exclusive holder. */
export type LockMode = 'exclusive' | 'shared';

/** What a store can do. An option that needs more is refused at start-up. */
export interface LockStoreCapabilities {
  /** Every grant carries a token that rises with each grant of the key. */
  readonly fencing: boolean;
  /** First come, first served. */
  readonly fair: boolean;
  /** `mode: 'shared'`. */
  readonly shared: boolean;
  /** `permits` above 1. */
  readonly permits: boolean;
  /** A released key can be kept locked for a while. */
  readonly minHold: boolean;
  /** Whom the locks exclude: callers in this process, or every client of a server. */
  readonly scope: 'process' | 'network';
}

/** One wish for a lease. */
export interface LeaseRequest {
  /** Unique for every request; asking again with the same id is harmless. */
  readonly id: string;
  readonly key: string;
  /** Milliseconds. */
  readonly ttl: number;
  readonly mode: LockMode;
  /** How many may hold the key at once; 1 unless the key is a semaphore. */
  readonly permits: number;
}

/** What a store grants: the key is the request's, for one owner, for `ttl` milliseconds unless renewed. */
export interface Lease extends LeaseRequest {
  /** Rises with every grant of the key; a safe integer. Undefined only where the store has no fencing. */
  readonly fencingToken: number | undefined;
  /**
   * A moment of the store's {@link LockStore.clock} that is not after the one at which the server began to
   * count the ttl: for a plain round trip the moment of sending, never that of the answer.
   */
  readonly grantedAt: Instant;
}

/** The key was not granted within the wait budget. */
export interface Busy {
  readonly busy: true;
  /** The id of a holder, where the store can tell. */
  readonly holder?: string | undefined;
  /** What else there is to say of it, such as the votes of several servers. */
  readonly cause?: Error | undefined;
}

export type AcquireOutcome = Lease | Busy;

export function isBusy(outcome: AcquireOutcome): outcome is Busy {
  return 'busy' in outcome;
}

/** How long a request may wait. */
export interface WaitBudget {
  /** Milliseconds; 0 answers at once, and passes nobody who waits. The time is kept by the caller: see `onEnd`. */
  readonly timeout: number;
  /** To be called by the store once, if the request has to wait. */
  onWaiting(): void;
  /**
   * Calls back when the wait is over, by its time or because the caller gave up (at once, if it is over already):
   * stop waiting, leave nothing behind, and answer busy. One callback a request.
   */
  onEnd(callback: () => void): void;
}

/**
 * `lost`: the lease is no longer the owner's, and the store knows it. An error: what became of this lease is unknown,
 * and it is tried again.
 */
export type RenewOutcome = 'renewed' | 'lost' | Error;

/** Who holds a key, as the store sees it. */
export interface HolderState {
  /** The id of the request that was granted. */
  readonly id: string;
  readonly mode: LockMode;
  readonly fencingToken: number | undefined;
  /** Milliseconds left of the lease unless it is renewed. */
  readonly expiresIn: number;
  /** Milliseconds since the grant, where the store can tell. */
  readonly heldFor?: number | undefined;
}

export interface WaiterState {
  readonly id: string;
  readonly mode: LockMode;
}

/** Who holds a key and who waits for it. */
export interface LockState {
  readonly key: string;
  readonly permits: number;
  readonly holders: readonly HolderState[];
  /** In the order in which they will be served, where the store knows them. */
  readonly waiters: readonly WaiterState[];
}

/**
 * The contract between the core and a backend. `nestjs-distributed-lock/testing` exports the conformance
 * suite that checks it; `CONTRIBUTING.md` tells how to write a store.
 */
export interface LockStore {
  /** The kind of store, for messages: `memory`, `redis`. */
  readonly name: string;
  readonly capabilities: LockStoreCapabilities;
  /** By which deadlines are reckoned; the system's clock unless a test moves its own. */
  readonly clock?: Clock;

  /**
   * Grants a lease, or says {@link Busy} when the wait is over. Waits in the store's own way: woken where the
   * backend can wake, polling with jitter where it can't.
   *
   * - Asking again with the id of a live lease returns that lease, with its token.
   * - A number of `permits` other than that of the key's holders and waiters is a `LockOptionsError`.
   * - A rejection means that the backend could not be asked; whatever it may have granted is cleaned up by the
   *   store. A grant that arrives after the end of the wait is still returned, and the core gives it back.
   */
  acquire(request: LeaseRequest, wait: WaitBudget): Promise<AcquireOutcome>;

  /**
   * Lets each lease end its `ttl` from now, unless it lasts longer already: a renewal that was delayed on its way
   * then takes nothing back. Never revives one that has ended. Outcomes come in the order of the leases. A rejection means that the outcome of all of them is unknown.
   */
  renew(leases: readonly Lease[]): Promise<readonly RenewOutcome[]>;

  /**
   * Ends a lease, or with `keepFor` leaves the key locked for that many milliseconds more. `false` means that
   * the lease was surely not the owner's any more; a rejection, that this is unknown. A store in this process may
   * answer without a promise.
   */
  release(lease: Lease, keepFor?: number): Promise<boolean> | boolean;

  /** `null`: nobody holds the key or waits for it. */
  inspect(key: string): Promise<LockState | null>;
  /** Every key that is held, in no particular order. */
  list(prefix?: string): AsyncIterable<LockState>;
  /** Takes the key from whoever holds it; its holders learn of it at their next renewal. */
  forceRelease(key: string): Promise<boolean>;
  /** Rejects when the backend cannot be reached. */
  ping(): Promise<void>;
  /** Closes what the store itself opened, and nothing else. */
  close(): Promise<void>;
}
