import { type Clock, type Instant, systemClock } from '../../base/clock.js';
import {
  type AcquireOutcome,
  type Lease,
  type LeaseRequest,
  type LockState,
  type LockStore,
  type LockStoreCapabilities,
  type RenewOutcome,
  type WaitBudget,
} from '../lock-store.js';
import { MemoryKey } from './memory-key.js';

export interface MemoryStoreOptions {
  /**
   * Tells the time and sets timers.
   * @default the system's clock
   */
  readonly clock?: Clock;
}

/**
 * Locks that live in this process: real exclusion between the callers of one process, none between processes.
 * The embedded default, for development, tests and applications that run as one instance.
 */
export function memoryStore(options: MemoryStoreOptions = {}): LockStore {
  return new MemoryStore(options.clock ?? systemClock);
}

/** Below this many keys a sweep for abandoned leases is not worth its while. */
const SMALLEST_SWEEP = 1_024;

class MemoryStore implements LockStore {
  readonly name = 'memory';
  readonly capabilities: LockStoreCapabilities = {
    fencing: true,
    fair: true,
    shared: true,
    permits: true,
    minHold: true,
    scope: 'process',
  };
  readonly #keys = new Map<string, MemoryKey>();
  #lastToken = 0;
  #sweepAtSize = SMALLEST_SWEEP;

  constructor(readonly clock: Clock) {}

  acquire(request: LeaseRequest, wait: WaitBudget): Promise<AcquireOutcome> {
    let state = this.#keys.get(request.key);
    if (!state) {
      this.#sweep();
      state = new MemoryKey(request.key, this.clock, this.#nextToken, this.#forget);
      this.#keys.set(request.key, state);
    }
    return state.acquire(request, wait);
  }

  async renew(leases: readonly Lease[]): Promise<readonly RenewOutcome[]> {
    return leases.map((lease) => (this.#keys.get(lease.key)?.renew(lease) ? 'renewed' : 'lost'));
  }

  /** At once: a release is on the path of every call. */
  release(lease: Lease, keepFor = 0): boolean {
    return this.#keys.get(lease.key)?.release(lease, keepFor) ?? false;
  }

  async inspect(key: string): Promise<LockState | null> {
    return this.#keys.get(key)?.inspect() ?? null;
  }

  async *list(prefix = ''): AsyncIterable<LockState> {
    for (const key of [...this.#keys.keys()]) {
      const state = key.startsWith(prefix) ? await this.inspect(key) : null;
      if (state) yield state;
    }
  }

  async forceRelease(key: string): Promise<boolean> {
    return this.#keys.get(key)?.forceRelease() ?? false;
  }

  async ping(): Promise<void> {}

  /** Nothing was opened; applications in one process that share the store go on using it. */
  async close(): Promise<void> {}

  /**
   * One counter for all keys, so that an idle key need not be remembered; never below the time in
   * microseconds, so that tokens rise over restarts too.
   */
  readonly #nextToken = ({ wall }: Instant): number => {
    this.#lastToken = Math.max(this.#lastToken + 1, Math.floor(wall * 1_000));
    return this.#lastToken;
  };

  readonly #forget = (key: string): void => {
    this.#keys.delete(key);
  };

  /** Keys whose holders neither released nor renewed are dropped when the map has doubled: no timer for each. */
  #sweep(): void {
    if (this.#keys.size < this.#sweepAtSize) return;
    for (const state of this.#keys.values()) state.settle();
    this.#sweepAtSize = Math.max(SMALLEST_SWEEP, this.#keys.size * 2);
  }
}
