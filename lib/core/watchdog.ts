import { type Clock, type Instant, later, msUntil } from '../base/clock.js';
import { Fifo } from '../base/fifo.js';
import type { Lease, LockStore } from '../stores/lock-store.js';
import type { Hold } from './hold.js';
import type { LockEvents } from './lock-events.js';

/**
 * The longest sleep while anything is held. Timers stand still while a machine is suspended, so that without
 * it a hold could learn only a third of its ttl after waking that it is long lost.
 */
const LONGEST_SLEEP = 1_000;
/** So that time passes between two looks, however the fractions of a millisecond round. */
const SHORTEST_SLEEP = 0.01;
/** The shortest time between two attempts at a renewal. */
const SHORTEST_RETRY = 5;

/** Renews the leases of live holds, in one call for all that are due, and declares a hold lost in time. */
export class Watchdog {
  readonly #holds = new Fifo<Hold>();
  #timer: unknown;
  #wakeAt = Number.POSITIVE_INFINITY;

  constructor(
    readonly store: LockStore,
    readonly clock: Clock,
    readonly events: LockEvents,
  ) {}

  get holds(): Fifo<Hold> {
    return this.#holds;
  }

  watch(hold: Hold): void {
    this.#holds.push(hold);
    this.#wakeIn(Math.min(LONGEST_SLEEP, nextEventIn(hold, hold.since)), hold.since);
  }

  /** The timer stays as it is: on firing it looks again. */
  unwatch(hold: Hold): void {
    this.#holds.remove(hold);
  }

  wakeNow(): void {
    this.#wakeIn(0, this.clock.now());
  }

  stop(): void {
    this.clock.clearTimer(this.#timer);
    this.#wakeAt = Number.POSITIVE_INFINITY;
  }

  #wakeIn(delay: number, now: Instant): void {
    const wakeAt = now.monotonic + delay;
    if (wakeAt >= this.#wakeAt) return;
    this.stop();
    this.#wakeAt = wakeAt;
    this.#timer = this.clock.setTimer(() => this.#look(), delay);
  }

  #look(): void {
    this.stop();
    const now = this.clock.now();
    const soon: Hold[] = [];
    let due = false;
    for (const hold of this.#holds) {
      if (hold.loss) continue; // asking is what declares it lost when its time has passed
      if (hold.endsAt && msUntil(hold.endsAt, now) <= 0) hold.lose('max-hold');
      else if (hold.call.renew && hold.renewsIn(now) <= slack(hold)) {
        soon.push(hold);
        due ||= hold.renewsIn(now) <= 0;
      }
    }
    if (due) this.#renew(soon, now);
    let sleep = LONGEST_SLEEP;
    for (const hold of this.#holds) sleep = Math.min(sleep, nextEventIn(hold, now));
    if (this.#holds.size > 0) this.#wakeIn(Math.max(SHORTEST_SLEEP, sleep), now);
  }

  #renew(holds: readonly Hold[], sentAt: Instant): void {
    const leases = holds.map((hold) => hold.renewal());
    // Should no answer come, the next attempt does not wait for it.
    for (const hold of holds) hold.renewAt(nextAttempt(hold, sentAt));
    this.#ask(leases).then(
      (outcomes) => {
        for (const [index, hold] of holds.entries()) {
          const lease = leases[index] as Lease;
          const outcome = outcomes[index];
          if (!hold.place.isTaken) continue; // released or lost meanwhile
          if (outcome instanceof Error) {
            this.events.failed('renew', [hold.key], outcome);
          } else if (outcome === 'renewed') {
            hold.renewed(sentAt, lease.ttl);
            this.events.renewed(hold, lease.ttl);
          } else {
            hold.lose('taken');
          }
        }
      },
      (error) => {
        const keys = holds.map(({ key }) => key);
        this.events.failed('renew', keys, error);
      },
    );
  }

  async #ask(leases: readonly Lease[]) {
    return this.store.renew(leases); // async, so that a store that throws is a store that rejects
  }
}

/** Leases that are nearly due go along with those that are: ever fewer, larger calls. */
function slack(hold: Hold): number {
  return hold.lease.ttl / 12;
}

/** Attempts come faster as the deadline nears. */
function nextAttempt(hold: Hold, now: Instant): Instant {
  return later(now, Math.max(SHORTEST_RETRY, hold.remaining / 4));
}

function nextEventIn(hold: Hold, now: Instant): number {
  const end = Math.min(
    hold.certainFor(now),
    hold.endsAt ? msUntil(hold.endsAt, now) : Number.POSITIVE_INFINITY,
  );
  return hold.call.renew ? Math.min(end, hold.renewsIn(now)) : end;
}
