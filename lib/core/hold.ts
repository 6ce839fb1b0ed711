import { type Clock, driftOf, type Instant, later, msUntil } from '../base/clock.js';
import { Place } from '../base/fifo.js';
import { type LockLossReason, LockLostError } from '../lock.errors.js';
import type { Lease } from '../stores/lock-store.js';
import { Frame } from './frame.js';
import type { LockCall } from './lock-settings.js';

/** Who keeps the holds of a store, acts for them and hears what becomes of them. */
export interface HoldKeeper {
  readonly clock: Clock;
  /** Undefined: the hold ended before its turn came. */
  enterBelow(parent: Frame, call: LockCall): Frame | Promise<Frame | undefined>;
  extend(hold: Hold, ttl: number): Promise<void>;
  /** A hold's `renewAt` has been moved to now. */
  renewSoon(): void;
  holdLost(hold: Hold, error: LockLostError): void;
  allFramesLeft(hold: Hold): void;
}

/** This process's side of one lease: renewed by the watchdog, shared by its frames, ended by release or loss. */
export class Hold {
  readonly place: Place<this> = new Place(this);
  readonly root: Frame;
  /** Renewal stops and the hold is lost at this moment. */
  readonly endsAt: Instant | undefined;
  /** The store has been asked to end the lease, or need not be. */
  released = false;
  /** Resolves when the store has answered that, or has had its time; undefined when there is nothing to wait for. */
  releasing: Promise<void> | undefined;
  #keepUntil = 0;
  #ttl: number;
  /** The sending of the grant or renewal whose lease lasts longest, and for how long that is. */
  #confirmedAt: Instant;
  #confirmedTtl: number;
  /** Set when the next renewal does not come at its usual time. */
  #renewAt: Instant | undefined;
  #loss: LockLostError | undefined;
  #controller: AbortController | undefined;
  #onEnd: Set<() => void> | undefined;

  constructor(
    readonly lease: Lease,
    readonly keeper: HoldKeeper,
    readonly call: LockCall,
    /** When the grant was known here: never before the store's own reckoning. */
    readonly since: Instant,
  ) {
    this.root = new Frame(this, lease.mode, undefined);
    this.endsAt = call.maxHold === undefined ? undefined : later(since, call.maxHold);
    this.#ttl = call.ttl;
    this.#confirmedAt = lease.grantedAt;
    this.#confirmedTtl = lease.ttl;
  }

  get key(): string {
    return this.lease.key;
  }

  /** Why it was lost, or undefined; looks at the clock, so that a paused process learns of it with no timer. */
  get loss(): LockLostError | undefined {
    if (!this.#loss && !this.released && this.#remaining() <= 0) this.lose('expired');
    return this.#loss;
  }

  get isLive(): boolean {
    return !this.released && !this.loss;
  }

  /** Aborts on loss. Made when first asked for: most calls never do. */
  get signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController();
      const { loss } = this;
      if (loss) this.#controller.abort(loss);
    }
    return this.#controller.signal;
  }

  /** By the clock alone, whether or not the store has been asked to end it. */
  get isCertain(): boolean {
    return this.#remaining() > 0;
  }

  /** Milliseconds for which the lease is certain. */
  get remaining(): number {
    return this.isLive ? this.#remaining() : 0;
  }

  /** Milliseconds from this moment until the lease counts as lost: its ttl from its sending, less the drift. */
  certainFor(now: Instant): number {
    return msUntil(this.#confirmedAt, now) + this.#confirmedTtl - driftOf(this.#confirmedTtl);
  }

  /** Milliseconds from this moment until the watchdog is to renew. */
  renewsIn(now: Instant): number {
    if (this.#renewAt) return msUntil(this.#renewAt, now);
    return msUntil(this.#confirmedAt, now) + this.#confirmedTtl - (this.#ttl * 2) / 3;
  }

  /** Renew at this moment, whatever the usual time. */
  renewAt(moment: Instant): void {
    this.#renewAt = moment;
  }

  /** The monotonic time until which the key has to stay locked, even if all frames leave. */
  get keepUntil(): number {
    return this.#keepUntil;
  }

  /** How long the lease lasts with every renewal, in milliseconds. */
  get ttl(): number {
    return this.#ttl;
  }

  /** The key stays locked for at least this long from now on, even if this process ends. */
  keep(minHold: number, frame: Frame): void {
    const now = this.keeper.clock.now();
    this.#keepUntil = Math.max(this.#keepUntil, now.monotonic + minHold);
    // A process that is killed releases nothing, so the lease itself has to last that long. The root asked for
    // such a lease; a frame below it may need a longer one.
    if (frame !== this.root && this.#remaining() < minHold) {
      this.#renewAt = now;
      this.keeper.renewSoon();
    }
  }

  /** Takes back what {@link keep} asked for, unless others are inside who may have asked for it too. */
  forgetKeep(): void {
    if (this.root.hasNoneBelow) this.#keepUntil = 0;
  }

  /** The lease as the next renewal should have it: long enough for its ttl, and for what has to be kept. */
  renewal(ttl: number = this.#ttl): Lease {
    const kept = this.#keepUntil > 0 ? this.#keepUntil - this.keeper.clock.now().monotonic : 0;
    const length = Math.max(ttl, Math.ceil(kept));
    return length === this.lease.ttl ? this.lease : { ...this.lease, ttl: length };
  }

  /**
   * The store confirmed a renewal that was sent at this moment. A renewal never ends a lease sooner, so answers
   * may overtake each other: the latest end stands.
   */
  renewed(sentAt: Instant, ttl: number): void {
    if (!this.isLive) return;
    const endsAt = (sent: Instant, length: number) => sent.monotonic + length - driftOf(length);
    if (endsAt(sentAt, ttl) > endsAt(this.#confirmedAt, this.#confirmedTtl)) {
      this.#confirmedAt = sentAt;
      this.#confirmedTtl = ttl;
    }
    this.#renewAt = undefined;
  }

  /** From now on every renewal is for this long. */
  setTtl(ttl: number): void {
    this.#ttl = ttl;
  }

  lose(reason: LockLossReason): void {
    if (this.#loss) return;
    this.#loss = new LockLostError({ key: this.key, site: this.call.site, reason });
    this.#controller?.abort(this.#loss);
    this.keeper.holdLost(this, this.#loss);
    this.#ended();
  }

  /** Calls back once when the hold is lost or released; the result takes the wish back. */
  onEnd(callback: () => void): () => void {
    this.#onEnd ??= new Set();
    const listeners = this.#onEnd.add(callback);
    return () => listeners.delete(callback);
  }

  allFramesLeft(): void {
    this.keeper.allFramesLeft(this);
    this.#ended();
  }

  #ended(): void {
    const listeners = this.#onEnd;
    this.#onEnd = undefined;
    for (const listener of listeners ?? []) listener();
  }

  #remaining(): number {
    return this.certainFor(this.keeper.clock.now());
  }
}
