import { type Duration, parseDuration } from './base/duration.js';
import { show } from './base/show.js';
import { type LockSettings, SHORTEST_TTL } from './core/lock-settings.js';
import { LockOptionsError } from './lock.errors.js';
import type { LockObserver } from './lock.observer.js';
import type { LockMode, LockStore } from './stores/lock-store.js';

/** Every default of the library. */
export const DEFAULTS = {
  ttl: '30s',
  wait: '5s',
  minHold: 0,
  renew: true,
  mode: 'exclusive',
  permits: 1,
  store: 'default',
  onBusy: 'throw',
  onUnavailable: 'throw',
  isGlobal: true,
  shutdownTimeout: '10s',
  storeTimeout: '2s',
} as const;

/** How a key is locked, for the decorator and the service alike. */
export interface LockOptions {
  /**
   * The lease: how long the key stays locked after this process has died. It is renewed while the work runs, so
   * it need not be as long as the work. Shorter frees a crashed holder's key sooner; longer rides out longer
   * pauses and outages of the store. At least 10 ms.
   * @default '30s'
   */
  readonly ttl?: Duration | undefined;
  /**
   * How long to wait for a busy key. `0` tries once.
   * @default '5s'
   */
  readonly wait?: Duration | undefined;
  /**
   * The key stays locked at least this long from the grant, even when the work ends sooner or the process exits:
   * a short job then runs once, although clocks differ.
   * @default 0
   */
  readonly minHold?: Duration | undefined;
  /**
   * After this long renewal stops, `signal` aborts and the lock is lost, so that work that hangs cannot hold a
   * key for ever. At least the ttl.
   * @default none
   */
  readonly maxHold?: Duration | undefined;
  /**
   * `false`: the lease is never renewed, and the lock is lost when it ends.
   * @default true
   */
  readonly renew?: boolean | undefined;
  /**
   * `'shared'`: many may hold the key at once, but none beside an exclusive holder.
   * @default 'exclusive'
   */
  readonly mode?: LockMode | undefined;
  /**
   * A semaphore: up to this many hold the key at once. All who use a key name the same number.
   * @default 1
   */
  readonly permits?: number | undefined;
  /**
   * The name of one of the module's `stores`.
   * @default 'default'
   */
  readonly store?: string | undefined;
}

/** Options of `LockService.acquire()`. */
export interface AcquireOptions extends LockOptions {
  /** Gives up waiting when it aborts; the call rejects with its reason. */
  readonly signal?: AbortSignal | undefined;
}

/** Options of `LockService.tryAcquire()`, which never waits. */
export type TryAcquireOptions = Omit<AcquireOptions, 'wait' | 'signal'>;

/** What happens when the wait for a key ran out. */
export type OnBusy<A extends readonly never[] = readonly never[]> =
  | 'throw'
  | 'skip'
  | ((...args: A) => unknown);

/** What happens when the store is down. */
export type OnUnavailable = 'throw' | 'run';

/** What happens when the lock cannot be had. */
export interface FallbackOptions<B = OnBusy> {
  /**
   * The key stayed busy: `'throw'` a `LockBusyError`, `'skip'` (resolve `undefined` without running), or a
   * function whose result is given instead.
   * @default 'throw'
   */
  readonly onBusy?: B | undefined;
  /**
   * The store is down or silent: `'throw'` a `LockUnavailableError`, or `'run'` without the lock. Choose `'run'`
   * only where the lock saves work, never where it keeps data correct. At shutdown it throws all the same.
   * @default 'throw'
   */
  readonly onUnavailable?: OnUnavailable | undefined;
}

/** Options of `LockService.run()`. */
export interface RunOptions<B = OnBusy<[]>> extends AcquireOptions, FallbackOptions<B> {}

/** A template, or a function of the method's arguments that gives one key or several. */
export type LockKey = string | ((...args: never[]) => string | readonly string[]);

/** Options of `@DistributedLock()`. */
export interface DistributedLockOptions<K = LockKey, B = OnBusy> extends LockOptions, FallbackOptions<B> {
  /**
   * What is locked: a template (`'order:{id}'`, by name; `'order:{0.id}'`, by position), or a function of the
   * method's arguments. Several keys are taken all or none.
   * @default 'ClassName.methodName', so that all calls of the method exclude each other
   */
  readonly key?: K | undefined;
}

/** Options of `LockModule.forRoot()` and `forRootAsync()`. */
export interface LockModuleOptions {
  /**
   * Where locks are kept.
   * @default the memory store, with a warning that it excludes nobody outside this process
   */
  readonly store?: LockStore | undefined;
  /** Several stores by name, for the `store` option of a lock; the one called `default` is used where none is named. */
  readonly stores?: Readonly<Record<string, LockStore>> | undefined;
  /** Told what happens to locks, for metrics, traces and logs. */
  readonly observers?: readonly LockObserver[] | undefined;
  /**
   * How long running work may go on when the application shuts down. After that its locks are lost and released.
   * @default '10s'
   */
  readonly shutdownTimeout?: Duration | undefined;
  /**
   * How long a store may be silent, beyond the time that it was asked to wait, before it counts as unavailable.
   * @default '2s'
   */
  readonly storeTimeout?: Duration | undefined;
}

/** What `useClass` and `useExisting` of `LockModule.forRootAsync()` have to offer. */
export interface LockOptionsFactory {
  createLockOptions(): LockModuleOptions | Promise<LockModuleOptions>;
}

export const ACQUIRE_OPTIONS = [
  'ttl',
  'wait',
  'minHold',
  'maxHold',
  'renew',
  'mode',
  'permits',
  'store',
  'signal',
] as const satisfies (keyof AcquireOptions)[];
export const RUN_OPTIONS = [
  ...ACQUIRE_OPTIONS,
  'onBusy',
  'onUnavailable',
] as const satisfies (keyof RunOptions)[];
export const METHOD_OPTIONS = [
  ...RUN_OPTIONS.filter((name) => name !== 'signal'),
  'key',
] as const satisfies (keyof DistributedLockOptions)[];
export const MODULE_OPTIONS = [
  'store',
  'stores',
  'observers',
  'shutdownTimeout',
  'storeTimeout',
] as const satisfies (keyof LockModuleOptions)[];

/** A misspelt option would silently be its default. */
export function assertKnownOptions(options: object, known: readonly string[], site: string): void {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    throw new LockOptionsError(`the options are ${show(options)}: they have to be an object.`, { site });
  }
  for (const name of Object.keys(options)) {
    if (!known.includes(name)) {
      throw new LockOptionsError(`there is no option \`${name}\`; the options are: ${known.join(', ')}.`, {
        site,
      });
    }
  }
}

/** Fills in the defaults and checks every value, alone and together. */
export function resolveSettings(options: LockOptions, site: string): LockSettings {
  const duration = (option: 'ttl' | 'wait' | 'minHold', min: number) =>
    parseDuration(options[option] === undefined ? DEFAULTS[option] : options[option], { option, min, site });
  const ttl = duration('ttl', SHORTEST_TTL);
  const { maxHold, renew = DEFAULTS.renew, mode = DEFAULTS.mode, permits = DEFAULTS.permits } = options;
  const settings: LockSettings = {
    ttl,
    wait: duration('wait', 0),
    minHold: duration('minHold', 0),
    maxHold: maxHold === undefined ? undefined : parseDuration(maxHold, { option: 'maxHold', min: 0, site }),
    renew: oneOf(renew, [true, false], 'renew', site),
    mode: oneOf(mode, ['exclusive', 'shared'], 'mode', site),
    permits,
  };
  if (settings.maxHold !== undefined && settings.maxHold < ttl) {
    throw new LockOptionsError(
      `\`maxHold\` (${settings.maxHold} ms) is shorter than \`ttl\` (${ttl} ms): the lease alone holds the key ` +
        'longer than that. Shorten the ttl, or raise maxHold.',
      { site },
    );
  }
  if (!Number.isSafeInteger(permits) || permits < 1) {
    throw new LockOptionsError(`\`permits\` is ${show(permits)}: it has to be a whole number, at least 1.`, {
      site,
    });
  }
  if (permits > 1 && settings.mode === 'shared') {
    throw new LockOptionsError(
      `\`mode: 'shared'\` and \`permits: ${permits}\` do not go together: a shared lock has no limit, a semaphore ` +
        'has no readers. Choose one.',
      { site },
    );
  }
  return settings;
}

/** What to do when the lock cannot be had, checked. */
export interface Fallbacks {
  readonly onBusy: OnBusy;
  readonly onUnavailable: OnUnavailable;
}

export function resolveFallbacks(options: FallbackOptions, site: string): Fallbacks {
  const { onBusy = DEFAULTS.onBusy, onUnavailable = DEFAULTS.onUnavailable } = options;
  if (typeof onBusy !== 'function') oneOf(onBusy, ['throw', 'skip'], 'onBusy', site, ', or a function');
  return { onBusy, onUnavailable: oneOf(onUnavailable, ['throw', 'run'], 'onUnavailable', site) };
}

function oneOf<T>(value: T, allowed: readonly T[], option: string, site: string, more = ''): T {
  if (allowed.includes(value)) return value;
  const list = allowed.map(show).join(' or ');
  throw new LockOptionsError(`\`${option}\` is ${show(value)}: it has to be ${list}${more}.`, { site });
}
