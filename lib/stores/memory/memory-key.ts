import { type Clock, type Instant, later, msUntil } from '../../base/clock.js';
import { Fifo } from '../../base/fifo.js';
import { LockOptionsError } from '../../lock.errors.js';
import type { AcquireOutcome, Lease, LeaseRequest, LockState, WaitBudget } from '../lock-store.js';

interface Holder {
  readonly lease: Lease;
  expiresAt: Instant;
  /** Released with `keepFor`: the key stays locked, but nobody owns it any more. */
  kept: boolean;
}

interface Waiter {
  readonly request: LeaseRequest;
  grant(lease: Lease): void;
}

/** Who holds one key and who waits for it, in the order of their coming. */
export class MemoryKey {
  readonly #holders = new Map<string, Holder>();
  readonly #waiters = new Fifo<Waiter>();
  /** The number of permits that everyone on this key names. */
  #permits = 1;
  /** Set while someone waits: fires when the first of the leases ends, or sooner. */
  #expiryTimer: unknown;
  #expiryTimerAt = Number.POSITIVE_INFINITY;

  constructor(
    readonly key: string,
    readonly clock: Clock,
    readonly nextToken: () => number,
    /** Called when nobody holds the key or waits for it. */
    readonly forget: (key: string) => void,
  ) {}

  acquire(request: LeaseRequest, wait: WaitBudget): Promise<AcquireOutcome> {
    this.#serve();
    const mine = this.#holders.get(request.id);
    if (mine && !mine.kept) return Promise.resolve(mine.lease);
    if (this.#isIdle()) {
      this.#permits = request.permits;
    } else if (this.#permits !== request.permits) {
      return Promise.reject(this.#permitsDiffer(request));
    }
    if (!this.#waiters.first && this.#admits(request)) return Promise.resolve(this.#grant(request));
    if (wait.timeout <= 0) return Promise.resolve(this.#busy());
    return this.#enqueue(request, wait);
  }

  renew(lease: Lease): boolean {
    this.#expire();
    const holder = this.#holders.get(lease.id);
    if (!holder || holder.kept) return false;
    const end = later(this.clock.now(), lease.ttl);
    if (end.monotonic > holder.expiresAt.monotonic) holder.expiresAt = end;
    return true;
  }

  release(lease: Lease, keepFor: number): boolean {
    this.#expire();
    const holder = this.#holders.get(lease.id);
    if (!holder || holder.kept) return false;
    if (keepFor > 0) {
      holder.kept = true;
      holder.expiresAt = later(this.clock.now(), keepFor);
    } else {
      this.#holders.delete(lease.id);
    }
    this.settle();
    return true;
  }

  forceRelease(): boolean {
    this.#expire();
    const held = this.#holders.size > 0;
    this.#holders.clear();
    this.settle();
    return held;
  }

  inspect(): LockState | null {
    this.settle();
    if (this.#isIdle()) return null;
    const now = this.clock.now();
    return {
      key: this.key,
      permits: this.#permits,
      holders: [...this.#holders.values()].map(({ lease, expiresAt }) => ({
        id: lease.id,
        mode: lease.mode,
        fencingToken: lease.fencingToken,
        expiresIn: msUntil(expiresAt, now),
        heldFor: now.monotonic - lease.grantedAt.monotonic,
      })),
      waiters: [...this.#waiters].map(({ request: { id, mode } }) => ({ id, mode })),
    };
  }

  /** Brings the key up to date: serves whoever is next, and says goodbye when nobody is left. */
  settle(): void {
    this.#serve();
    if (this.#isIdle()) this.forget(this.key);
  }

  #serve(): void {
    this.#expire();
    for (
      let next = this.#waiters.first;
      next && this.#admits(next.value.request);
      next = this.#waiters.first
    ) {
      this.#waiters.remove(next);
      next.value.grant(this.#grant(next.value.request));
    }
    this.#watchExpiry();
  }

  #enqueue(request: LeaseRequest, wait: WaitBudget): Promise<AcquireOutcome> {
    wait.onWaiting();
    return new Promise((resolve) => {
      const giveUp = () => {
        this.#waiters.remove(entry);
        stopWaiting();
        resolve(this.#busy());
        this.settle(); // those behind may be able to go on: readers after a writer that left
      };
      const stopWaiting = () => {
        this.clock.clearTimer(timer);
        wait.signal.removeEventListener('abort', giveUp);
      };
      const entry = this.#waiters.push({
        request,
        grant: (lease) => {
          stopWaiting();
          resolve(lease);
        },
      });
      const timer = this.clock.setTimer(giveUp, wait.timeout);
      wait.signal.addEventListener('abort', giveUp);
      this.#watchExpiry();
    });
  }

  /** The next in line learns of an expiry by this timer alone: a dead holder calls nobody. */
  #watchExpiry(): void {
    if (!this.#waiters.first) {
      this.#stopExpiryTimer();
      return;
    }
    const now = this.clock.now();
    let first = Number.POSITIVE_INFINITY;
    for (const { expiresAt } of this.#holders.values()) first = Math.min(first, msUntil(expiresAt, now));
    if (now.monotonic + first >= this.#expiryTimerAt) return; // it fires sooner, and then looks again
    this.#stopExpiryTimer();
    this.#expiryTimerAt = now.monotonic + first;
    this.#expiryTimer = this.clock.setTimer(() => {
      this.#stopExpiryTimer();
      this.settle();
    }, first);
  }

  #stopExpiryTimer(): void {
    if (this.#expiryTimerAt === Number.POSITIVE_INFINITY) return;
    this.clock.clearTimer(this.#expiryTimer);
    this.#expiryTimerAt = Number.POSITIVE_INFINITY;
  }

  #expire(): void {
    if (this.#holders.size === 0) return;
    const now = this.clock.now();
    for (const [id, { expiresAt }] of this.#holders) {
      if (msUntil(expiresAt, now) <= 0) this.#holders.delete(id);
    }
  }

  #admits(request: LeaseRequest): boolean {
    if (this.#holders.size === 0) return true;
    if (request.mode === 'exclusive') return this.#holders.size < request.permits;
    for (const { lease } of this.#holders.values()) if (lease.mode === 'exclusive') return false;
    return true;
  }

  #grant(request: LeaseRequest): Lease {
    const grantedAt = this.clock.now();
    const lease: Lease = { ...request, fencingToken: this.nextToken(), grantedAt };
    this.#holders.set(request.id, { lease, expiresAt: later(grantedAt, request.ttl), kept: false });
    return lease;
  }

  #isIdle(): boolean {
    return this.#holders.size === 0 && !this.#waiters.first;
  }

  #busy(): AcquireOutcome {
    const holder: string | undefined = this.#holders.keys().next().value;
    return { busy: true, holder };
  }

  #permitsDiffer(request: LeaseRequest): LockOptionsError {
    return new LockOptionsError(
      `"${this.key}" is used with ${this.#permits} permit(s) and cannot be used with ${request.permits} at the ` +
        'same time: name the same number of `permits` everywhere.',
      { key: this.key },
    );
  }
}
