import { Logger } from '@nestjs/common';
import { onTestFinished, vi } from 'vitest';
import { LockService } from '../../../lib/index.js';
import type { StampedeCache } from '../../../lib/integrations/cache/cache-values.js';
import { GuardedCache } from '../../../lib/integrations/cache/guarded-cache.js';
import type { Load, Loaded } from '../../../lib/integrations/cache/loader.js';
import {
  type LockedCacheOptions,
  resolveLockedCache,
} from '../../../lib/integrations/cache/stampede.options.js';
import { ControllableStore, type ManualClock } from '../../../lib/testing/index.js';
import { type Deferred, deferred } from '../../support/deferred.js';

/** A cache that lives in the time of the test, and fails as it is told to. */
class ManualCache implements StampedeCache {
  readonly entries = new Map<string, { readonly value: unknown; readonly endsAt: number }>();
  /** What was asked, as `get k` and `set k`. */
  readonly asked: string[] = [];
  outage: Error | 'silent' | undefined;

  constructor(private readonly clock: ManualClock) {}

  async get(key: string): Promise<unknown> {
    await this.#reach(`get ${key}`);
    const entry = this.entries.get(key);
    return entry && entry.endsAt > this.clock.now().wall ? entry.value : undefined;
  }

  async set(key: string, value: unknown, ttl = 60_000): Promise<unknown> {
    await this.#reach(`set ${key}`);
    this.entries.set(key, { value, endsAt: this.clock.now().wall + ttl });
    return value;
  }

  /** How much longer a value is kept, in milliseconds. */
  remaining(key: string): number | undefined {
    const entry = this.entries.get(key);
    return entry && entry.endsAt - this.clock.now().wall;
  }

  async #reach(question: string): Promise<void> {
    this.asked.push(question);
    if (this.outage === 'silent') await new Promise(() => {});
    if (this.outage instanceof Error) throw this.outage;
  }
}

/** What a process has: its own locks and loads, on the store and the cache of all. */
class Process {
  readonly locks: LockService;
  readonly #cache: GuardedCache;

  constructor(cache: ManualCache, store: ControllableStore, random: () => number) {
    this.locks = new LockService({ store });
    this.#cache = new GuardedCache(cache, this.locks, store.clock, random);
  }

  async get(key: string, load: Load, options: LockedCacheOptions = {}): Promise<unknown> {
    const { value } = await this.#cache.get({ key, load, settings: resolveLockedCache(options, 'test') });
    return value;
  }

  close(): void {
    this.#cache.close();
  }

  /** As Nest does it before connections are closed. */
  shutDown(): void {
    this.close();
    this.locks.beforeApplicationShutdown();
  }
}

/** Several processes. `chance` is what random numbers are: 0 begins no early refresh, nearly 1 always does. */
export function processes() {
  const store = new ControllableStore();
  const cache = new ManualCache(store.clock);
  const dice = { chance: 0 };
  const start = () => new Process(cache, store, () => dice.chance);
  return { store, cache, dice, clock: store.clock, one: start(), other: start() };
}

/** A load that the test ends, as often as it is begun. */
export class Loads {
  readonly #begun: Deferred<Loaded>[] = [];

  constructor(
    private readonly ttl = 1_000,
    private readonly shareable = true,
  ) {}

  readonly load: Load = () => {
    const loading = deferred<Loaded>();
    this.#begun.push(loading);
    return loading.promise;
  };

  get count(): number {
    return this.#begun.length;
  }

  /** Ends the last load, or that with the given number, counted from 1. */
  give(value: unknown, number = this.count): void {
    this.#begun[number - 1]?.resolve({ value, ttl: this.ttl, shareable: this.shareable });
  }

  fail(error: unknown, number = this.count): void {
    this.#begun[number - 1]?.reject(error);
  }
}

/** A load that ends at once. */
export function giving(value: unknown, ttl = 1_000): Load {
  return async () => ({ value, ttl, shareable: true });
}

/** What is logged as a warning, which is not printed. */
export function warnings(): readonly string[] {
  const texts: string[] = [];
  const spy = vi.spyOn(Logger.prototype, 'warn').mockImplementation((text) => void texts.push(String(text)));
  onTestFinished(() => spy.mockRestore());
  return texts;
}
