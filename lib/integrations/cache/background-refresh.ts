import type { Logger } from '@nestjs/common';
import { asError } from '../../base/as-error.js';
import type { Clock } from '../../base/clock.js';
import { LockUnavailableError } from '../../lock.errors.js';
import type { LockService } from '../../lock.service.js';
import type { CacheValues } from './cache-values.js';
import type { Freshness } from './freshness.js';
import type { Loader, Wanted } from './loader.js';
import { lockNameOf } from './lock-name.js';

/** After a load that failed, before this process tries it again, in milliseconds. */
const PAUSE = 1_000;

/** Loads values anew while readers still have the old ones: one process at a time, and nobody waits for it. */
export class BackgroundRefresh {
  /** Keys that this process is at, or that it leaves alone for a while. */
  readonly #keys = new Set<string>();

  constructor(
    private readonly values: CacheValues,
    private readonly loader: Loader,
    private readonly locks: LockService,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {}

  /** `seen`: what the reader saw of the old value. */
  start(wanted: Wanted, seen: Freshness): void {
    const { key } = wanted;
    if (this.values.closed || this.#keys.has(key)) return;
    this.#keys.add(key);
    this.#refresh(wanted, seen).then(
      () => this.#keys.delete(key),
      (error: unknown) => {
        this.logger.warn(`"${key}" could not be loaded anew in the background: ${asError(error).message}`);
        this.clock.setTimer(() => this.#keys.delete(key), PAUSE);
      },
    );
  }

  async #refresh(wanted: Wanted, seen: Freshness): Promise<void> {
    const hold = await this.#lock(wanted);
    if (!hold) return;
    try {
      const found = await this.values.read(wanted);
      if (found === 'down') return; // what would be loaded could not be kept
      const done = found !== 'miss' && found.freshness && found.freshness.freshUntil > seen.freshUntil;
      if (!done) await this.loader.load(wanted);
    } finally {
      void hold.release();
    }
  }

  /** `null` where another is at it, or the application shuts down. Without a lock store, every process refreshes. */
  async #lock({ key, settings: { lockTtl, lockStore } }: Wanted) {
    try {
      return await this.locks.tryAcquire(lockNameOf(key), { ttl: lockTtl, store: lockStore });
    } catch (error) {
      if (!(error instanceof LockUnavailableError)) throw error;
      return error.reason === 'store' ? NO_HOLD : null;
    }
  }
}

const NO_HOLD = { release: async () => true };
