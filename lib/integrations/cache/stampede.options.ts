import { type Duration, parseDuration } from '../../base/duration.js';
import { show } from '../../base/show.js';
import { SHORTEST_TTL } from '../../core/lock-settings.js';
import { LockOptionsError } from '../../lock.errors.js';
import { assertKnownOptions } from '../../lock.options.js';

const DEFAULTS = {
  wait: '10s',
  lockTtl: '5s',
  lockStore: 'default',
  cacheTimeout: '2s',
  earlyRefresh: 0,
  staleFor: 0,
} as const;

/** How a cached value is loaded, for the guard and, through `@LockedCache()`, for the interceptor. */
export interface LockedCacheOptions {
  /**
   * How long to wait while another process loads the value. After that this one loads too: the lock only saves work.
   * Make it longer than a load takes, and longer than `lockTtl`.
   * @default '10s'
   */
  readonly wait?: Duration | undefined;
  /**
   * How long others wait for a loader that has died, at most. Renewed while a load runs, so it need not be as long
   * as a load. At least 10 ms.
   * @default '5s'
   */
  readonly lockTtl?: Duration | undefined;
  /**
   * The name of one of the `stores` of `LockModule`.
   * @default 'default'
   */
  readonly lockStore?: string | undefined;
  /**
   * How long the cache may be silent. After that the value is loaded without cache and lock.
   * @default '2s'
   */
  readonly cacheTimeout?: Duration | undefined;
  /**
   * Loads a value anew in the background shortly before it ends, so that nobody has to wait for it. Each reader decides
   * by chance, more likely the nearer the end is and the longer the last load took. `1` is right for most, larger
   * numbers are earlier in proportion, `0` is never.
   * @default 0
   */
  readonly earlyRefresh?: number | undefined;
  /**
   * How long a value is kept beyond its ttl. A reader in that time gets it as it is, while one process loads it anew
   * in the background. Nobody reads a value that is older than the ttl and this together.
   * @default 0
   */
  readonly staleFor?: Duration | undefined;
}

/** Options of `StampedeGuard.getOrLoad()`. */
export interface StampedeOptions extends LockedCacheOptions {
  /**
   * How long the value is kept in the cache. At most 24 days.
   * @default that of the cache; with `earlyRefresh` or `staleFor` it has to be given
   */
  readonly ttl?: Duration | undefined;
}

/** Options after validation: every duration in milliseconds, every default filled in. */
export type LockedCacheSettings = {
  readonly [Name in keyof LockedCacheOptions]-?: Name extends 'lockStore' ? string : number;
};

const LOCKED_CACHE_OPTIONS: readonly string[] = Object.keys(DEFAULTS);

export const DEFAULT_SETTINGS: LockedCacheSettings = settingsOf({}, '');

/** Options of `@LockedCache()`, checked. */
export function resolveLockedCache(options: LockedCacheOptions, site: string): LockedCacheSettings {
  assertKnownOptions(options, LOCKED_CACHE_OPTIONS, site);
  return settingsOf(options, site);
}

/** Options of `getOrLoad()`, checked. */
export function resolveStampede(
  options: StampedeOptions,
  site: string,
): { readonly settings: LockedCacheSettings; readonly ttl: number | undefined } {
  assertKnownOptions(options, ['ttl', ...LOCKED_CACHE_OPTIONS], site);
  const settings = settingsOf(options, site);
  const ttl =
    options.ttl === undefined ? undefined : parseDuration(options.ttl, { option: 'ttl', min: 1, site });
  assertTtl(ttl, settings, site);
  return { settings, ttl };
}

function settingsOf(options: LockedCacheOptions, site: string): LockedCacheSettings {
  const duration = (option: 'wait' | 'lockTtl' | 'cacheTimeout' | 'staleFor', min: number) =>
    parseDuration(options[option] === undefined ? DEFAULTS[option] : options[option], { option, min, site });
  const { lockStore = DEFAULTS.lockStore, earlyRefresh = DEFAULTS.earlyRefresh } = options;
  if (typeof earlyRefresh !== 'number' || !(earlyRefresh >= 0 && Number.isFinite(earlyRefresh))) {
    throw new LockOptionsError(`\`earlyRefresh\` is ${show(earlyRefresh)}: give a number, at least 0.`, {
      site,
    });
  }
  return {
    wait: duration('wait', 0),
    lockTtl: duration('lockTtl', SHORTEST_TTL),
    lockStore,
    cacheTimeout: duration('cacheTimeout', 1),
    earlyRefresh,
    staleFor: duration('staleFor', 0),
  };
}

/** Values are loaded anew before they are gone. */
export function isRefreshed({ earlyRefresh, staleFor }: LockedCacheSettings): boolean {
  return earlyRefresh > 0 || staleFor > 0;
}

/** When a value ends has to be known, to load it anew at that time. A ttl of 0 is none: the cache keeps for ever. */
export function assertTtl(ttl: number | undefined, settings: LockedCacheSettings, site: string): void {
  if (!isRefreshed(settings) || (ttl !== undefined && ttl > 0)) return;
  throw new LockOptionsError('`earlyRefresh` and `staleFor` need a ttl: give `ttl`, or @CacheTTL().', {
    site,
  });
}
