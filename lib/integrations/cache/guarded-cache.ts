import { Logger } from '@nestjs/common';
import { type Clock, systemClock } from '../../base/clock.js';
import { LockBusyError, LockUnavailableError } from '../../lock.errors.js';
import type { LockService } from '../../lock.service.js';
import { BackgroundRefresh } from './background-refresh.js';
import { CacheValues, type Found, type Hit, type StampedeCache } from './cache-values.js';
import { isDue } from './freshness.js';
import { type Load, type Loaded, Loader, type Wanted } from './loader.js';
import { lockNameOf } from './lock-name.js';

export interface Answer {
  readonly value: unknown;
  readonly fromCache: boolean;
  /** Others may have it too. */
  readonly shareable: boolean;
}

/** A cache whose missing values are loaded once: by one caller of this process, and by one process of all. */
export class GuardedCache {
  readonly #values: CacheValues;
  readonly #loader: Loader;
  readonly #refresh: BackgroundRefresh;
  /** What callers of this process wait for, by cache key. */
  readonly #flights = new Map<string, Promise<Answer>>();

  constructor(
    cache: StampedeCache,
    private readonly locks: LockService,
    private readonly clock: Clock = systemClock,
    private readonly random: () => number = Math.random,
  ) {
    const logger = new Logger('StampedeGuard');
    this.#values = new CacheValues(cache, clock, logger);
    this.#loader = new Loader(this.#values, clock);
    this.#refresh = new BackgroundRefresh(this.#values, this.#loader, locks, clock, logger);
  }

  close(): void {
    this.#values.close();
  }

  async get(wanted: Wanted): Promise<Answer> {
    const { key, load } = wanted;
    if (this.#loader.isInside(key)) return answerOf(await load());
    const joined = this.#flights.get(key);
    if (joined) return join(joined, load);
    if (this.#values.failing) return this.#fly(key, this.#loadInOutage(wanted));
    const found = await this.#values.read(wanted);
    if (isHit(found)) return this.#serve(wanted, found);
    const begun = this.#flights.get(key); // while the cache was asked
    // One answer that did not come is no outage: in overload, the lock is needed the most.
    return begun ? join(begun, load) : this.#fly(key, this.#loadLocked(wanted));
  }

  /** As a plain cache would: every caller that finds nothing loads for itself. */
  async getUnguarded(wanted: Wanted): Promise<Answer> {
    const found = await this.#values.read(wanted);
    return isHit(found) ? this.#serve(wanted, found) : this.#load(wanted);
  }

  /**
   * While the cache is down all callers wait for it together, so that as many loads come of it as there are time limits,
   * and not as there are callers. Others could not read what this process loads, and would wait in line for nothing.
   */
  async #loadInOutage(wanted: Wanted): Promise<Answer> {
    const found = await this.#values.read(wanted);
    if (isHit(found)) return this.#serve(wanted, found);
    return found === 'down' ? this.#load(wanted) : this.#loadLocked(wanted);
  }

  #fly(key: string, answer: Promise<Answer>): Promise<Answer> {
    const flight = answer.finally(() => this.#flights.delete(key));
    this.#flights.set(key, flight);
    return flight;
  }

  #serve(wanted: Wanted, { value, freshness }: Hit): Answer {
    const { earlyRefresh } = wanted.settings;
    if (freshness && isDue(freshness, earlyRefresh, this.clock.now().wall, this.random)) {
      this.#refresh.start(wanted, freshness);
    }
    return { value, fromCache: true, shareable: true };
  }

  async #loadLocked(wanted: Wanted): Promise<Answer> {
    const hold = await this.#lock(wanted);
    try {
      return await this.getUnguarded(wanted); // another may have loaded it meanwhile
    } finally {
      void hold?.release();
    }
  }

  async #load(wanted: Wanted): Promise<Answer> {
    return answerOf(await this.#loader.load(wanted));
  }

  /** Undefined where the lock cannot be had: it only saves work, so that the load goes on without. */
  async #lock({ key, settings: { wait, lockTtl, lockStore } }: Wanted) {
    const name = lockNameOf(key);
    const options = { ttl: lockTtl, store: lockStore };
    try {
      // First without waiting: a store that is down says so sooner.
      return (
        (await this.locks.tryAcquire(name, options)) ?? (await this.locks.acquire(name, { ...options, wait }))
      );
    } catch (error) {
      if (error instanceof LockBusyError || error instanceof LockUnavailableError) return undefined;
      throw error;
    }
  }
}

const guardedCaches = new WeakMap<StampedeCache, WeakMap<LockService, GuardedCache>>();

/** One for all guards and interceptors on a cache, so that they share what they load. */
export function guardedCacheOf(cache: StampedeCache, locks: LockService): GuardedCache {
  const ofCache = guardedCaches.get(cache) ?? new WeakMap<LockService, GuardedCache>();
  const guarded = ofCache.get(locks) ?? new GuardedCache(cache, locks);
  guardedCaches.set(cache, ofCache.set(locks, guarded));
  return guarded;
}

/** A caller of this process takes part in another's load, unless what that gave is not for two. */
async function join(flight: Promise<Answer>, load: Load): Promise<Answer> {
  const answer = await flight;
  return answer.shareable ? answer : answerOf(await load());
}

function answerOf({ value, shareable }: Loaded): Answer {
  return { value, fromCache: false, shareable };
}

function isHit(found: Found): found is Hit {
  return typeof found === 'object';
}
