import { randomUUID } from 'node:crypto';
import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  Logger,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { parseDuration } from './base/duration.js';
import { checkKey, checkKeys } from './core/keys/check-key.js';
import { lock } from './core/lock.js';
import { LockEngine } from './core/lock-engine.js';
import { type LockHold, runLocked } from './core/lock-hold.js';
import type { LockCall, LockSettings } from './core/lock-settings.js';
import { Observers } from './core/observers.js';
import { LockBusyError, LockOptionsError } from './lock.errors.js';
import { otherwise } from './lock.fallbacks.js';
import { MODULE_OPTIONS_TOKEN } from './lock.module-definition.js';
import {
  ACQUIRE_OPTIONS,
  type AcquireOptions,
  assertKnownOptions,
  DEFAULTS,
  type LockModuleOptions,
  MODULE_OPTIONS,
  type OnBusy,
  RUN_OPTIONS,
  type RunOptions,
  resolveFallbacks,
  resolveSettings,
  type TryAcquireOptions,
} from './lock.options.js';
import { assertCapable, namedStores } from './lock.stores.js';
import type { LockState } from './stores/lock-store.js';

/** What a busy key gives instead of the result. */
export type BusyResult<B> = B extends 'skip'
  ? undefined
  : B extends (...args: never[]) => infer R
    ? Awaited<R>
    : never;

/** Takes and inspects locks. Injected wherever `LockModule` is visible. */
@Injectable()
export class LockService implements BeforeApplicationShutdown, OnApplicationShutdown {
  readonly #logger = new Logger('LockModule');
  readonly #engines: ReadonlyMap<string, LockEngine>;
  readonly #shutdownTimeout: number;
  #ended: Promise<unknown> | undefined;

  constructor(@Inject(MODULE_OPTIONS_TOKEN) options: LockModuleOptions) {
    const site = 'LockModule';
    assertKnownOptions(options, [...MODULE_OPTIONS, 'isGlobal'], site);
    const duration = (option: 'shutdownTimeout' | 'storeTimeout', min: number) =>
      parseDuration(options[option] === undefined ? DEFAULTS[option] : options[option], {
        option,
        min,
        site,
      });
    this.#shutdownTimeout = duration('shutdownTimeout', 0);
    const shared = {
      instance: randomUUID(),
      storeTimeout: duration('storeTimeout', 1),
      observers: new Observers(options.observers ?? [], (error) =>
        this.#logger.error('A lock observer failed; locks are not affected.', error),
      ),
    };
    const stores = namedStores(options, (warning) => this.#logger.warn(warning));
    this.#engines = new Map(
      [...stores].map(([name, store]) => [name, new LockEngine({ name, store, ...shared })]),
    );
  }

  /**
   * Runs a function inside a lock on the key, or on several keys (all or none). The lock lasts as long as the
   * function's promise; calls below it on the same key re-enter it.
   */
  run<R, B extends OnBusy<[]> = 'throw'>(
    key: string | readonly string[],
    fn: () => R,
    options?: RunOptions<B>,
  ): Promise<Awaited<R> | BusyResult<B>>;
  run(key: string | readonly string[], fn: () => unknown, options?: RunOptions): Promise<unknown> {
    const site = 'LockService.run';
    try {
      if (!options) {
        return runLocked(lock(this.engine(DEFAULTS.store, site), checkKeys(key, site), DEFAULT_RUN), fn);
      }
      assertKnownOptions(options, RUN_OPTIONS, site);
      const fallbacks = otherwise(resolveFallbacks(options, site), fn, undefined, []);
      const call = toCall(options, site);
      const engine = this.engineFor(call, options.store, site);
      return runLocked(lock(engine, checkKeys(key, site), call), fn, fallbacks);
    } catch (error) {
      return Promise.reject(error); // not async itself: that would be one promise more a call
    }
  }

  /**
   * Takes a lock on the key, or on several keys (all or none), and keeps it until it is released: write
   * `await using hold = await locks.acquire(key)`, or release in a `finally`. Calls re-enter it only inside
   * `hold.run()`. Rejects with a `LockBusyError` when the wait is over.
   */
  async acquire(key: string | readonly string[], options?: AcquireOptions): Promise<LockHold> {
    const site = 'LockService.acquire';
    if (!options) return lock(this.engine(DEFAULTS.store, site), checkKeys(key, site), DEFAULT_ACQUIRE);
    assertKnownOptions(options, ACQUIRE_OPTIONS, site);
    const call = toCall(options, site);
    return lock(this.engineFor(call, options.store, site), checkKeys(key, site), call);
  }

  /** As {@link acquire}, but never waits, and gives `null` when the key is busy. */
  async tryAcquire(
    key: string | readonly string[],
    options: TryAcquireOptions = {},
  ): Promise<LockHold | null> {
    const site = 'LockService.tryAcquire';
    assertKnownOptions(
      options,
      ACQUIRE_OPTIONS.filter((name) => name !== 'wait' && name !== 'signal'),
      site,
    );
    const call = toCall({ ...options, wait: 0 }, site);
    try {
      return await lock(this.engineFor(call, options.store, site), checkKeys(key, site), call);
    } catch (error) {
      if (error instanceof LockBusyError) return null;
      throw error;
    }
  }

  /** Who holds a key and who waits for it; `null` when nobody does. */
  async inspect(key: string, storeName?: string): Promise<LockState | null> {
    const site = 'LockService.inspect';
    const question = { action: 'inspected', key: checkKey(key, site), site } as const;
    return this.engine(storeName, site).ask(question, (store) => store.inspect(key));
  }

  /** Every key that is held, or those that begin with a prefix. */
  async *list(prefix?: string, storeName?: string): AsyncIterable<LockState> {
    const question = { action: 'listed', site: 'LockService.list' } as const;
    const engine = this.engine(storeName, question.site);
    const states = engine.store.list(prefix)[Symbol.asyncIterator]();
    try {
      for (;;) {
        const next = await engine.ask(question, () => states.next());
        if (next.done) return;
        yield next.value;
      }
    } finally {
      states.return?.().catch(() => {}); // not awaited: a store that is silent would not answer this either
    }
  }

  /**
   * Frees a key whoever holds it; `true` if it was held. For an operator who knows that the holder is gone: one
   * that is alive learns of it only at its next renewal, and meanwhile works beside the next holder.
   */
  async forceRelease(key: string, storeName?: string): Promise<boolean> {
    const site = 'LockService.forceRelease';
    const question = { action: 'released', key: checkKey(key, site), site } as const;
    return this.engine(storeName, site).ask(question, (store) => store.forceRelease(key));
  }

  /** @internal The engine of a store that can do what is asked of it. */
  engineFor(settings: LockSettings, name: string | undefined, site: string): LockEngine {
    const engine = this.engine(name, site);
    assertCapable(engine.store, settings, site);
    return engine;
  }

  /** @internal */
  engine(name: string = DEFAULTS.store, site?: string): LockEngine {
    const engine = this.#engines.get(name);
    if (engine) return engine;
    const names = [...this.#engines.keys()].map((each) => `'${each}'`).join(', ');
    throw new LockOptionsError(
      `there is no store called '${name}'; the stores given to LockModule are: ${names}.`,
      { site },
    );
  }

  /** Before connections are closed: those who wait are turned away, so that their requests can end. */
  beforeApplicationShutdown(): void {
    for (const engine of this.#engines.values()) engine.stop(this.#shutdownTimeout);
  }

  /** After connections were closed: what still runs may end, then everything is released. */
  async onApplicationShutdown(): Promise<void> {
    this.#ended ??= this.#end(); // Nest may call more than once
    await this.#ended;
  }

  async #end(): Promise<void> {
    const engines = [...this.#engines.values()];
    await Promise.all(engines.map((engine) => engine.shutdown(this.#shutdownTimeout)));
    const stores = new Set(engines.map(({ store }) => store)); // one store may have several names
    await Promise.all([...stores].map((store) => store.close()));
  }
}

const DEFAULT_RUN = toCall({}, 'LockService.run');
const DEFAULT_ACQUIRE = toCall({}, 'LockService.acquire');

function toCall(options: AcquireOptions, site: string): LockCall {
  const { ttl, wait, minHold, maxHold, renew, mode, permits } = resolveSettings(options, site);
  // Field by field: to spread them takes as long as all the rest of an uncontended call.
  return { ttl, wait, minHold, maxHold, renew, mode, permits, site, signal: options.signal };
}
