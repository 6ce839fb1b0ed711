import type { Logger } from '@nestjs/common';
import { asError } from '../../base/as-error.js';
import type { Clock } from '../../base/clock.js';
import type { Freshness } from './freshness.js';
import { isRefreshed, type LockedCacheSettings } from './stampede.options.js';
import { within } from './within.js';

/** What is needed of a cache: that of cache-manager, which Nest injects as `CACHE_MANAGER`. */
export interface StampedeCache {
  /** `undefined` or `null` where there is no value. */
  get(key: string): Promise<unknown>;
  /** The ttl is in milliseconds; without one, the cache's own default holds. */
  set(key: string, value: unknown, ttl?: number): Promise<unknown>;
}

interface Question {
  readonly key: string;
  readonly settings: LockedCacheSettings;
}

interface Kept {
  readonly value: unknown;
  /** Milliseconds; `undefined`: as long as the cache keeps by default. */
  readonly ttl: number | undefined;
}

export interface Hit {
  readonly value: unknown;
  /** Not known of a value that others wrote. */
  readonly freshness: Freshness | undefined;
}

/** `down`: the cache failed, did not answer in time, or is closed. */
export type Found = Hit | 'miss' | 'down';

/**
 * The values of a cache, which fails nobody: one that is down is told to the caller as such, and to the log once. Values
 * are stored as they are, so that whoever else uses the cache can read and write them too; what is known of them is
 * stored under a key of its own.
 */
export class CacheValues {
  #failing = false;
  #closed = false;

  constructor(
    private readonly cache: StampedeCache,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {}

  /** It did not answer when it was asked last. */
  get failing(): boolean {
    return this.#failing;
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** From now on the cache is left alone: one that was disconnected would connect again when it is asked. */
  close(): void {
    this.#closed = true;
  }

  async read({ key, settings }: Question): Promise<Found> {
    const answer = await this.#ask(settings, () =>
      Promise.all([
        this.cache.get(key),
        isRefreshed(settings) ? this.cache.get(freshnessKeyOf(key)) : undefined,
      ]),
    );
    if (answer === 'down') return 'down';
    const [value, freshness] = answer;
    if (value === undefined || value === null) return 'miss';
    return { value, freshness: (freshness as Freshness | null | undefined) ?? undefined };
  }

  /** `loadedIn`: how long the load took, in milliseconds. */
  async write({ key, settings }: Question, { value, ttl }: Kept, loadedIn: number): Promise<void> {
    const writing = this.#ask(settings, async () => {
      if (ttl === undefined || !isRefreshed(settings)) return this.cache.set(key, value, ttl);
      const freshness: Freshness = { freshUntil: this.clock.now().wall + ttl, loadedIn };
      const keptFor = ttl + settings.staleFor;
      return Promise.all([
        this.cache.set(key, value, keptFor),
        this.cache.set(freshnessKeyOf(key), freshness, keptFor),
      ]);
    });
    if (!this.#failing) await writing; // a cache that did not answer when it was read keeps nobody waiting again
  }

  async #ask<T>({ cacheTimeout }: LockedCacheSettings, question: () => Promise<T>): Promise<T | 'down'> {
    if (this.#closed) return 'down';
    try {
      const answer = await within(question(), cacheTimeout, this.clock);
      this.#failing = false;
      return answer;
    } catch (error) {
      const text = `The cache failed: ${asError(error).message}. Values are loaded without it.`;
      if (!this.#failing) this.logger.warn(text);
      this.#failing = true;
      return 'down';
    }
  }
}

function freshnessKeyOf(key: string): string {
  return `stampede:${key}`;
}
