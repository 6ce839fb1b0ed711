import { asError } from '../base/as-error.js';
import { type Clock, type Instant, systemClock } from '../base/clock.js';
import { Fifo } from '../base/fifo.js';
import {
  LockBusyError,
  LockError,
  type LockLostError,
  LockOptionsError,
  type LockUnavailableDetails,
  LockUnavailableError,
} from '../lock.errors.js';
import type { Lease, LockStore, RenewOutcome } from '../stores/lock-store.js';
import { askStore, type StorePatience } from './ask-store.js';
import type { Frame } from './frame.js';
import { Hold, type HoldKeeper } from './hold.js';
import { type LeaseTaker, LeaseWait } from './lease-wait.js';
import { LockEvents } from './lock-events.js';
import { innermostOpenFrame, LockHold } from './lock-hold.js';
import type { LockCall } from './lock-settings.js';
import type { Observers } from './observers.js';
import { Releaser } from './releaser.js';
import { SiblingWait } from './sibling-wait.js';
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

/** What is asked of a store, for the error if it fails. */
export interface StoreQuestion {
  readonly action: LockUnavailableDetails['action'];
  readonly key?: string;
  readonly site: string;
}

/** Everything that happens to the locks of one store in this process: entering, holding, releasing, ending. */
export class LockEngine implements HoldKeeper {
  readonly store: LockStore;
  readonly clock: Clock;
  readonly #patience: StorePatience;
  readonly #events: LockEvents;
  readonly #taker: LeaseTaker<LockHold>;
  readonly #waiting = new Fifo<LeaseWait<LockHold>>();
  readonly #watchdog: Watchdog;
  readonly #releaser: Releaser;
  /** Once the engine was stopped: the monotonic time at which holds are ended. */
  #endsAt: number | undefined;
  #endTimer: unknown;
  #onIdle: (() => void) | undefined;

  constructor({ name, store, instance, storeTimeout, observers }: LockEngineOptions) {
    this.store = store;
    this.clock = store.clock ?? systemClock;
    this.#patience = { name: store.name, clock: this.clock, timeout: storeTimeout };
    this.#events = new LockEvents(observers, name);
    this.#releaser = new Releaser(store, this.#patience, ({ key }, error) =>
      this.#events.failed('release', [key], error),
    );
    this.#watchdog = new Watchdog(store, this.clock, this.#events);
    let lastRequest = 0;
    this.#taker = {
      store,
      clock: this.clock,
      storeTimeout,
      nextRequestId: () => {
        lastRequest += 1;
        return `${instance}:${lastRequest}`;
      },
      granted: (lease, wait, now) => this.#begin(lease, wait, now),
      busy: ({ holder, cause }, key, call, waited) => this.#busy(key, call, waited, holder, cause),
      waiting: (key, call) => this.#events.waiting(key, call),
      failed: (key, error) => this.#events.failed('acquire', [key], error),
      unwanted: (lease) => this.#releaser.release({ lease, keepUntil: 0 }),
      settled: (wait) => this.#waiting.remove(wait),
    };
  }

  /** Into the hold that the calling context has of this key, or else into a new one. */
  enter(key: string, call: LockCall, from: LockHold | undefined): LockHold | Promise<LockHold> {
    call.signal?.throwIfAborted();
    const parent = innermostOpenFrame(
      from,
      (hold) => hold.keeper === this && hold.key === key && hold.isLive,
    );
    if (!parent) return this.#enterNew(key, call, from);
    const entered = this.enterBelow(parent, call);
    return entered instanceof Promise
      ? this.#orEnterAgain(entered, key, call, from)
      : new LockHold([entered], from, call);
  }

  enterBelow(parent: Frame, call: LockCall): Frame | Promise<Frame | undefined> {
    assertFits(parent, call);
    return parent.tryEnter(call.mode) ?? this.#enterAfterSiblings(parent, call);
  }

  async extend(hold: Hold, ttl: number): Promise<void> {
    const { call } = hold;
    const sentAt = this.clock.now();
    const lease = hold.renewal(ttl);
    const outcome = await this.#renewNow(lease, call);
    if (outcome === 'lost') {
      hold.lose('taken');
      return;
    }
    hold.setTtl(ttl);
    hold.renewed(sentAt, lease.ttl);
    this.#watchdog.wakeNow(); // the next renewal may be due sooner than it was
  }

  /** What the store answers to a question that is about no lease; whatever fails is a `LockUnavailableError`. */
  ask<T>({ action, key, site }: StoreQuestion, question: (store: LockStore) => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const fail = (cause: unknown) => {
        const problem = `the ${this.store.name} store failed: ${asError(cause).message}`;
        const error = new LockUnavailableError({ key, site, cause, reason: 'store', problem, action });
        reject(cause instanceof LockError ? cause : error);
      };
      askStore(this.#patience, () => question(this.store), resolve, fail);
    });
  }

  renewSoon(): void {
    this.#watchdog.wakeNow();
  }

  holdLost(hold: Hold, error: LockLostError): void {
    this.#unwatch(hold);
    this.#events.lost(hold, error);
  }

  allFramesLeft(hold: Hold): void {
    this.#release(hold);
  }

  /** From now on nothing new is acquired, and those who wait are turned away. Holds go on until the time is over. */
  stop(timeout: number): void {
    if (this.#endsAt !== undefined) return;
    this.#endsAt = this.clock.now().monotonic + timeout;
    for (const wait of this.#waiting) wait.turnAway();
    this.#endTimer = this.clock.setTimer(() => this.#endHolds(), timeout);
  }

  /** Lets holds end by themselves until the time is over, then ends them; only the store is left to be closed. */
  async shutdown(timeout: number): Promise<void> {
    this.stop(timeout);
    if (this.#watchdog.holds.size > 0) {
      await new Promise<void>((resolve) => {
        this.#onIdle = resolve;
      });
    }
    this.clock.clearTimer(this.#endTimer);
    this.#watchdog.stop();
    const left = (this.#endsAt ?? 0) - this.clock.now().monotonic;
    await this.#releaser.finish(Math.max(left, this.#patience.timeout));
  }

  #enterNew(key: string, call: LockCall, from: LockHold | undefined): Promise<LockHold> {
    const wait = new LeaseWait(this.#taker, key, call, from);
    this.#waiting.push(wait);
    if (this.#endsAt !== undefined) wait.turnAway();
    else wait.begin();
    return wait.promise;
  }

  #begin(lease: Lease, wait: LeaseWait<LockHold>, now: Instant): LockHold {
    const { call, outer } = wait;
    const hold = new Hold(lease, this, call, now);
    this.#watchdog.watch(hold);
    this.#events.acquired(lease, call, wait.waited(now));
    return new LockHold([hold.root], outer, call);
  }

  /** Undefined: the hold ended before its turn came. */
  #enterAfterSiblings(parent: Frame, call: LockCall): Promise<Frame | undefined> {
    const { hold } = parent;
    if (call.wait <= 0) return Promise.reject(this.#busy(hold.key, call, 0, hold.lease.id));
    return new SiblingWait(parent, call, () => this.#busy(hold.key, call, call.wait, hold.lease.id)).promise;
  }

  async #orEnterAgain(
    entered: Promise<Frame | undefined>,
    key: string,
    call: LockCall,
    from: LockHold | undefined,
  ): Promise<LockHold> {
    const startedAt = this.clock.now().monotonic;
    const frame = await entered;
    if (frame) return new LockHold([frame], from, call);
    const wait = Math.max(0, call.wait - (this.clock.now().monotonic - startedAt));
    return this.enter(key, { ...call, wait }, from);
  }

  #release(hold: Hold): void {
    if (hold.released) return;
    const lostBefore = hold.loss;
    hold.released = true;
    this.#unwatch(hold);
    if (lostBefore?.reason === 'taken') return;
    let answered = false;
    let onAnswered: (() => void) | undefined;
    this.#releaser.release({
      lease: hold.renewal(),
      keepUntil: hold.keepUntil,
      answered: (released) => {
        // A lease that should be certain and is not there was taken away while the work went on.
        if (released === false && !lostBefore && hold.isCertain) hold.lose('taken');
        answered = true;
        onAnswered?.();
      },
      released: () => this.#events.released(hold, this.clock.now()),
    });
    if (answered) return; // by a store in this process
    hold.releasing = new Promise((resolve) => {
      onAnswered = resolve;
    });
  }

  #renewNow(lease: Lease, { site }: LockCall): Promise<'renewed' | 'lost'> {
    const { key } = lease;
    return new Promise((resolve, reject) => {
      const fail = (cause: unknown) => {
        this.#events.failed('renew', [key], cause);
        const problem = 'its lease could not be extended';
        reject(new LockUnavailableError({ key, site, cause, reason: 'store', problem }));
      };
      const tell = ([outcome]: readonly RenewOutcome[]) => {
        if (outcome instanceof Error) fail(outcome);
        else resolve(outcome ?? 'lost');
      };
      askStore(this.#patience, () => this.store.renew([lease]), tell, fail);
    });
  }

  #endHolds(): void {
    for (const hold of [...this.#watchdog.holds]) {
      hold.lose('shutdown');
      this.#release(hold);
    }
  }

  #unwatch(hold: Hold): void {
    this.#watchdog.unwatch(hold);
    if (this.#watchdog.holds.size === 0) this.#onIdle?.();
  }

  #busy(
    key: string,
    call: LockCall,
    waited: number,
    holder: string | undefined,
    cause?: Error,
  ): LockBusyError {
    this.#events.busy(key, call, waited, holder);
    return new LockBusyError({ key, site: call.site, waited, holder, cause });
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
