import type { Clock, Instant } from '../../base/clock.js';
import { Fifo, Place } from '../../base/fifo.js';
import { LockOptionsError } from '../../lock.errors.js';
import type { AcquireOutcome, Lease, LeaseRequest, LockState, WaitBudget } from '../lock-store.js';

interface Holder {
  readonly lease: Lease;
  /**
   * By the monotonic clock alone: when the wall clock jumps, holders count their locks as lost, and nobody else can
   * be granted the key before they have been told.
   */
  expiresAt: number;
  /** Released with `keepFor`: the key stays locked, but nobody owns it any more. */
  kept: boolean;
}

class Waiter {
  readonly place: Place<this> = new Place(this);

  constructor(
    readonly request: LeaseRequest,
    readonly resolve: (outcome: AcquireOutcome) => void,
  ) {}
}

/** Who holds one key and who waits for it, in the order of their coming. */
export class MemoryKey {
  /** Few, and most often one: looked through rather than looked up. */
  #holders: readonly Holder[] = [];
  readonly #waiters = new Fifo<Waiter>();
  /** The number of permits that everyone on this key names. */
  #permits = 1;
  /** Set while someone waits: fires when the first of the leases ends, or sooner. */
  #expiryTimer: unknown;
  #expiryTimerAt = Number.POSITIVE_INFINITY;

  constructor(
    readonly key: string,
    readonly clock: Clock,
    readonly nextToken: (now: Instant) => number,
    /** Called when nobody holds the key or waits for it. */
    readonly forget: (key: string) => void,
  ) {}

  acquire(request: LeaseRequest, wait: WaitBudget): Promise<AcquireOutcome> {
    this.#expire();
    this.#serve();
    const mine = this.#owner(request);
    if (mine) return Promise.resolve(mine.lease);
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
    const holder = this.#owner(lease);
    if (!holder) return false;
    holder.expiresAt = Math.max(holder.expiresAt, this.clock.now().monotonic + lease.ttl);
    return true;
  }

  release(lease: Lease, keepFor: number): boolean {
    this.#expire();
    const holder = this.#owner(lease);
    if (!holder) return false;
    if (keepFor > 0) {
      holder.kept = true;
      holder.expiresAt = this.clock.now().monotonic + keepFor;
    } else {
      this.#holders = this.#holders.filter((each) => each !== holder);
    }
    this.#serveOrForget();
    return true;
  }

  forceRelease(): boolean {
    this.#expire();
    const held = this.#holders.length > 0;
    this.#holders = [];
    this.#serveOrForget();
    return held;
  }

  inspect(): LockState | null {
    this.settle();
    if (this.#isIdle()) return null;
    const now = this.clock.now().monotonic;
    return {
      key: this.key,
      permits: this.#permits,
      holders: this.#holders.map(({ lease, expiresAt }) => ({
        id: lease.id,
        mode: lease.mode,
        fencingToken: lease.fencingToken,
        expiresIn: expiresAt - now,
        heldFor: now - lease.grantedAt.monotonic,
      })),
      waiters: [...this.#waiters].map(({ request: { id, mode } }) => ({ id, mode })),
    };
  }

  /** Brings the key up to date: serves whoever is next, and says goodbye when nobody is left. */
  settle(): void {
    this.#expire();
    this.#serveOrForget();
  }

  #serveOrForget(): void {
    this.#serve();
    if (this.#isIdle()) this.forget(this.key);
  }

  #serve(): void {
    for (let next = this.#waiters.first; next && this.#admits(next.request); next = this.#waiters.first) {
      this.#waiters.remove(next);
      next.resolve(this.#grant(next.request));
    }
    this.#watchExpiry();
  }

  #enqueue(request: LeaseRequest, wait: WaitBudget): Promise<AcquireOutcome> {
    wait.onWaiting();
    return new Promise((resolve) => {
      const waiter = new Waiter(request, resolve);
      this.#waiters.push(waiter);
      wait.onEnd(() => this.#dismiss(waiter));
      this.#watchExpiry();
    });
  }

  #dismiss(waiter: Waiter): void {
    if (!waiter.place.isTaken) return; // granted before
    this.#waiters.remove(waiter);
    waiter.resolve(this.#busy());
    this.settle(); // those behind may be able to go on: readers after a writer that left
  }

  /** The next in line learns of an expiry by this timer alone: a dead holder calls nobody. */
  #watchExpiry(): void {
    if (!this.#waiters.first) {
      this.#stopExpiryTimer();
      return;
    }
    let first = Number.POSITIVE_INFINITY;
    for (const { expiresAt } of this.#holders) first = Math.min(first, expiresAt);
    if (first >= this.#expiryTimerAt) return; // it fires sooner, and then looks again
    this.#stopExpiryTimer();
    this.#expiryTimerAt = first;
    this.#expiryTimer = this.clock.setTimer(() => {
      this.#stopExpiryTimer();
      this.settle();
    }, first - this.clock.now().monotonic);
  }

  #stopExpiryTimer(): void {
    if (this.#expiryTimerAt === Number.POSITIVE_INFINITY) return;
    this.clock.clearTimer(this.#expiryTimer);
    this.#expiryTimerAt = Number.POSITIVE_INFINITY;
  }

  #expire(): void {
    if (this.#holders.length === 0) return;
    const now = this.clock.now().monotonic;
    if (this.#holders.some(({ expiresAt }) => expiresAt <= now)) {
      this.#holders = this.#holders.filter(({ expiresAt }) => expiresAt > now);
    }
  }

  #admits(request: LeaseRequest): boolean {
    if (this.#holders.length === 0) return true;
    if (request.mode === 'exclusive') return this.#holders.length < request.permits;
    for (const { lease } of this.#holders) if (lease.mode === 'exclusive') return false;
    return true;
  }

  #grant(request: LeaseRequest): Lease {
    const grantedAt = this.clock.now();
    const { id, key, ttl, mode, permits } = request;
    const lease: Lease = { id, key, ttl, mode, permits, fencingToken: this.nextToken(grantedAt), grantedAt };
    const holder: Holder = { lease, expiresAt: grantedAt.monotonic + ttl, kept: false };
    this.#holders = [...this.#holders, holder];
    return lease;
  }

  #owner({ id }: LeaseRequest): Holder | undefined {
    return this.#holders.find(({ lease, kept }) => lease.id === id && !kept);
  }

  #isIdle(): boolean {
    return this.#holders.length === 0 && !this.#waiters.first;
  }

  #busy(): AcquireOutcome {
    return { busy: true, holder: this.#holders[0]?.lease.id };
  }

  #permitsDiffer(request: LeaseRequest): LockOptionsError {
    return new LockOptionsError(
      `"${this.key}" is used with ${this.#permits} permit(s) and cannot be used with ${request.permits} at the ` +
        'same time: name the same number of `permits` everywhere.',
      { key: this.key },
    );
  }
}
