import { type Clock, systemClock } from '../base/clock.js';
import { LockBusyError, type LockLostError, LockOptionsError, LockUnavailableError } from '../lock.errors.js';
import type { LockEvent } from '../lock.observer.js';
import type { LockStore } from '../stores/lock-store.js';
import type { Frame } from './frame.js';
import { Hold, type HoldKeeper } from './hold.js';
import { LeaseTaker } from './lease-taker.js';
import { innermostOpenFrame, type LockHold } from './lock-hold.js';
import type { LockCall } from './lock-settings.js';
import type { Observers } from './observers.js';
import { Releaser } from './releaser.js';
import { answerWithin, Wait } from './wait.js';
import { Watchdog } from './watchdog.js';

export interface LockEngineOptions {
  /** The name under which the store was given to the module. */
  readonly name: string;
  readonly store: LockStore;
  /** Unique to this process; the ids of its requests begin with it. */
  readonly instance: string;
  /** How long the store may be silent beyond the wait, in milliseconds. */
  readonly storeTimeout: number;
  readonly observers: Observers;
}

/** Everything that happens to the locks of one store in this process: entering, holding, releasing, ending. */
export class LockEngine implements HoldKeeper {
  readonly store: LockStore;
  readonly clock: Clock;
  readonly #storeTimeout: number;
  readonly #observers: Observers;
  readonly #name: string;
  readonly #taker: LeaseTaker;
  readonly #watchdog: Watchdog;
  readonly #releaser: Releaser;
  #onIdle: (() => void) | undefined;

  constructor({ name, store, instance, storeTimeout, observers }: LockEngineOptions) {
    this.store = store;
    this.clock = store.clock ?? systemClock;
    this.#name = name;
    this.#storeTimeout = storeTimeout;
    this.#observers = observers;
    this.#releaser = new Releaser(store, this.clock, storeTimeout, ({ key }, error) =>
      this.#tellFailure('release', [key], error),
    );
    this.#watchdog = new Watchdog(store, this.clock, {
      renewed: (hold, { ttl }) =>
        observers.tell('onRenewed', () => ({ ...this.#eventOf(hold.key, hold.call), ttl })),
      renewalFailed: (holds, error) =>
        this.#tellFailure(
          'renew',
          holds.map(({ key }) => key),
          error,
        ),
    });
    this.#taker = new LeaseTaker(store, this.clock, instance, storeTimeout, {
      waiting: (key, call) => observers.tell('onWaiting', () => this.#eventOf(key, call)),
      failed: (key, error) => this.#tellFailure('acquire', [key], error),
      unwanted: (lease) => void this.#releaser.release(lease, 0),
    });
  }

  /** Into the hold that the calling context has of this key, or else into a new one. */
  enter(key: string, call: LockCall, from: LockHold | undefined): Frame | Promise<Frame> {
    call.signal?.throwIfAborted();
    const parent = innermostOpenFrame(
      from,
      (hold) => hold.keeper === this && hold.key === key && hold.isLive,
    );
    if (!parent) return this.#enterNew(key, call);
    const entered = this.enterBelow(parent, call);
    return entered instanceof Promise ? this.#orEnterAgain(entered, key, call, from) : entered;
  }

  enterBelow(parent: Frame, call: LockCall): Frame | Promise<Frame | undefined> {
    assertFits(parent, call);
    return parent.tryEnter(call.mode) ?? this.#enterAfterSiblings(parent, call);
  }

  async extend(hold: Hold, ttl: number): Promise<void> {
    const { key, call } = hold;
    const sentAt = this.clock.now();
    const lease = hold.renewal(sentAt, ttl);
    const silent = () =>
      new Error(`the ${this.store.name} store did not answer within ${this.#storeTimeout} ms`);
    const outcomes = await answerWithin(
      { clock: this.clock, timeout: this.#storeTimeout, onTimeout: silent },
      () => this.store.renew([lease]),
    ).catch((cause: unknown) => {
      this.#tellFailure('renew', [key], cause);
      throw new LockUnavailableError({
        key,
        site: call.site,
        cause,
        problem: 'its lease could not be extended',
      });
    });
    if (outcomes[0] !== 'renewed') {
      hold.lose('taken');
      return;
    }
    hold.setTtl(ttl);
    hold.renewed(sentAt, lease.ttl);
    this.#watchdog.wakeNow(); // the next renewal may be due sooner than it was
  }

  renewSoon(): void {
    this.#watchdog.wakeNow();
  }

  holdLost(hold: Hold, error: LockLostError): void {
    this.#unwatch(hold);
    const { reason } = error;
    this.#observers.tell('onLost', () => ({ ...this.#eventOf(hold.key, hold.call), reason, error }));
  }

  allFramesLeft(hold: Hold): void {
    hold.releasing ??= this.#release(hold);
  }

  /** From now on nothing new is acquired, and those who wait are turned away. Holds go on. */
  stop(): void {
    this.#taker.stop();
  }

  /** Lets holds end by themselves until the time is over, then ends them; nothing is left to do after it. */
  async shutdown(timeout: number): Promise<void> {
    this.stop();
    const startedAt = this.clock.now().monotonic;
    if (this.#watchdog.holds.size > 0) {
      const idle = new Promise<void>((resolve) => {
        this.#onIdle = resolve;
      });
      const timer = this.clock.setTimer(() => this.#endHolds(), timeout);
      await idle;
      this.clock.clearTimer(timer);
    }
    this.#watchdog.stop();
    const left = timeout - (this.clock.now().monotonic - startedAt);
    await this.#releaser.finish(Math.max(left, this.#storeTimeout));
    await this.store.close();
  }

  async #enterNew(key: string, call: LockCall): Promise<Frame> {
    const startedAt = this.clock.now();
    const outcome = await this.#taker.take(key, call);
    const waited = this.clock.now().monotonic - startedAt.monotonic;
    if ('busy' in outcome) throw this.#busy(key, call, waited, outcome.holder);
    const hold = new Hold(outcome, this, call);
    this.#watchdog.watch(hold);
    const { fencingToken } = outcome;
    this.#observers.tell('onAcquired', () => ({ ...this.#eventOf(key, call), fencingToken, waited }));
    return hold.root;
  }

  /** Undefined: the hold ended before its turn came. */
  #enterAfterSiblings(parent: Frame, call: LockCall): Promise<Frame | undefined> {
    const { hold } = parent;
    if (call.wait <= 0) return Promise.reject(this.#busy(hold.key, call, 0, hold.lease.id));
    const wait = new Wait<Frame | undefined>({
      clock: this.clock,
      timeout: call.wait,
      signal: call.signal,
      onTimeout: () => this.#busy(hold.key, call, call.wait, hold.lease.id),
      onGiveUp: () => {
        forgetEnd();
        leaveQueue();
      },
    });
    const leaveQueue = parent.enterLater(call.mode, (frame) => {
      forgetEnd();
      wait.resolve(frame);
    });
    const forgetEnd = hold.onEnd(() => {
      leaveQueue();
      wait.resolve(undefined);
    });
    return wait.promise;
  }

  async #orEnterAgain(
    entered: Promise<Frame | undefined>,
    key: string,
    call: LockCall,
    from: LockHold | undefined,
  ): Promise<Frame> {
    const startedAt = this.clock.now().monotonic;
    const frame = await entered;
    const wait = Math.max(0, call.wait - (this.clock.now().monotonic - startedAt));
    return frame ?? this.enter(key, { ...call, wait }, from);
  }

  /** `false`: the lease was not ours any more. Never rejects. */
  async #release(hold: Hold): Promise<boolean> {
    const lostBefore = hold.loss;
    this.#unwatch(hold);
    if (lostBefore?.reason === 'taken') return false;
    const now = this.clock.now();
    const released = await this.#releaser.release(hold.renewal(now), hold.keepUntil, () =>
      this.#observers.tell('onReleased', () => ({
        ...this.#eventOf(hold.key, hold.call),
        heldFor: this.clock.now().monotonic - hold.since.monotonic,
      })),
    );
    // A lease that should be certain and is not there was taken away while the work went on.
    if (released === false && !lostBefore && hold.isCertain) hold.lose('taken');
    return !lostBefore && released !== false;
  }

  #endHolds(): void {
    for (const hold of [...this.#watchdog.holds]) {
      hold.lose('shutdown');
      hold.releasing ??= this.#release(hold);
    }
  }

  #unwatch(hold: Hold): void {
    this.#watchdog.unwatch(hold);
    if (this.#watchdog.holds.size === 0) this.#onIdle?.();
  }

  #busy(key: string, call: LockCall, waited: number, holder: string | undefined): LockBusyError {
    this.#observers.tell('onBusy', () => ({ ...this.#eventOf(key, call), waited, holder }));
    return new LockBusyError({ key, site: call.site, waited, holder });
  }

  #eventOf(key: string, { site, mode }: LockCall): LockEvent {
    return { store: this.#name, key, site, mode };
  }

  #tellFailure(operation: 'acquire' | 'renew' | 'release', keys: readonly string[], error: unknown): void {
    this.#observers.tell('onError', () => ({ store: this.#name, operation, keys, error }));
  }
}

function assertFits(parent: Frame, call: LockCall): void {
  const { key, lease } = parent.hold;
  if (parent.mode === 'shared' && call.mode === 'exclusive') {
    throw new LockOptionsError(
      `"${key}" is held in shared mode by the caller and cannot become exclusive: it would wait for itself. ` +
        'Take it exclusively in the outer call, or in shared mode here too.',
      { key, site: call.site },
    );
  }
  if (call.permits !== lease.permits) {
    throw new LockOptionsError(
      `"${key}" is held by the caller with ${lease.permits} permit(s) and asked for with ${call.permits}: ` +
        'name the same number of `permits` everywhere.',
      { key, site: call.site },
    );
  }
}
