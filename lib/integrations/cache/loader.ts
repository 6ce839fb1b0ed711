import { AsyncLocalStorage } from 'node:async_hooks';
import type { Clock } from '../../base/clock.js';
import type { CacheValues } from './cache-values.js';
import type { LockedCacheSettings } from './stampede.options.js';

/** What a load gave. */
export interface Loaded {
  readonly value: unknown;
  /** How long it is kept, in milliseconds; `undefined`: as long as the cache keeps by default. */
  readonly ttl: number | undefined;
  /** Others may have it too: those who asked meanwhile and, through the cache, those who ask later. */
  readonly shareable: boolean;
}

export type Load = () => Promise<Loaded>;

/** A value that somebody asks for. */
export interface Wanted {
  /** Its key in the cache. */
  readonly key: string;
  /** Where it comes from, if not from the cache. */
  readonly load: Load;
  readonly settings: LockedCacheSettings;
}

interface Loading {
  readonly key: string;
  readonly outer: Loading | undefined;
  ended: boolean;
}

/** Runs loads, and keeps in the cache what they give. */
export class Loader {
  readonly #loading = new AsyncLocalStorage<Loading>();

  constructor(
    private readonly values: CacheValues,
    private readonly clock: Clock,
  ) {}

  async load(wanted: Wanted): Promise<Loaded> {
    const loading: Loading = { key: wanted.key, outer: this.#loading.getStore(), ended: false };
    const startedAt = this.clock.now().monotonic;
    try {
      const loaded = await this.#loading.run(loading, wanted.load);
      if (loaded.shareable && loaded.value !== undefined && loaded.value !== null) {
        await this.values.write(wanted, loaded, this.clock.now().monotonic - startedAt);
      }
      return loaded;
    } finally {
      loading.ended = true;
    }
  }

  /** The caller is part of a load of this key. Were it to wait for that load, both would wait for ever. */
  isInside(key: string): boolean {
    for (let loading = this.#loading.getStore(); loading; loading = loading.outer) {
      // Timers and listeners that a load has left behind are not inside it any more.
      if (loading.key === key && !loading.ended) return true;
    }
    return false;
  }
}
