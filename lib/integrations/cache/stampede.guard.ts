import { CACHE_MANAGER } from '@nestjs/cache-manager';
import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { show } from '../../base/show.js';
import { LockKeyError } from '../../lock.errors.js';
import { LockService } from '../../lock.service.js';
import type { StampedeCache } from './cache-values.js';
import { type GuardedCache, guardedCacheOf } from './guarded-cache.js';
import { resolveStampede, type StampedeOptions } from './stampede.options.js';

const SITE = 'StampedeGuard.getOrLoad';

/**
 * Reads values from the cache, and has each that is missing loaded once, however many ask for it. Add it to the
 * `providers` of a module that sees `CacheModule` and `LockModule`.
 */
@Injectable()
export class StampedeGuard implements OnModuleDestroy {
  readonly #locks: LockService;
  readonly #cache: GuardedCache;

  constructor(@Inject(CACHE_MANAGER) cache: StampedeCache, locks: LockService) {
    this.#locks = locks;
    this.#cache = guardedCacheOf(cache, locks);
  }

  /**
   * The value of a key in the cache. Where there is none, callers in this process share one load; of several
   * processes one loads, and the others wait and read. A load that fails is told to those who share it, and the next
   * process tries. Where the lock or the cache cannot be had, the value is loaded without. `null` and `undefined` are
   * given to those who asked, and not kept.
   */
  async getOrLoad<T>(key: string, load: () => T | Promise<T>, options: StampedeOptions = {}): Promise<T> {
    if (typeof key !== 'string' || key === '') {
      throw new LockKeyError(`the key is ${show(key)}: it has to be a non-empty string.`, { site: SITE });
    }
    const { settings, ttl } = resolveStampede(options, SITE);
    this.#locks.engine(settings.lockStore, SITE); // throws where there is no such store
    const { value } = await this.#cache.get({
      key,
      load: async () => ({ value: await load(), ttl, shareable: true }),
      settings,
    });
    return value as T;
  }

  /** The cache is closed at this time: from now on values are loaded without it. */
  onModuleDestroy(): void {
    this.#cache.close();
  }
}
