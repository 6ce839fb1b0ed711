import type { CronOptions } from '@nestjs/schedule';
import type { Duration } from '../../base/duration.js';
import { show } from '../../base/show.js';
import { type LockSettings, SHORTEST_TTL } from '../../core/lock-settings.js';
import { LockOptionsError } from '../../lock.errors.js';
import {
  DEFAULTS,
  type Fallbacks,
  type OnUnavailable,
  resolveFallbacks,
  resolveSettings,
} from '../../lock.options.js';

/** Every default that the options of a job do not share with other locks, in milliseconds where it is a time. */
export const JOB_DEFAULTS = {
  onOverlap: 'skip',
  /** Half the period, within these limits. */
  ttl: { atLeast: 1_000, atMost: 30_000 },
  /** Half the period, within these limits. */
  minHold: { atLeast: 30_000, atMost: 600_000 },
} as const;

/** A tick comes while a run still goes on. */
export type OnOverlap = 'skip' | 'wait';

/** How a job is locked, for `@LockedCron()` and `@LockedInterval()` alike. */
export interface LockedJobOptions {
  /**
   * What the job is called in the store. All instances that give this key share one job, so no two jobs may have the
   * same: an application with two of them does not start. It is taken as it is, as a job has no arguments to fill in.
   * @default 'ClassName.methodName', of the class that Nest makes, not of the one that it inherits the job from
   */
  readonly key?: string | undefined;
  /**
   * The lease of a run: how long the job stays blocked after its process has died. It is renewed while the job runs,
   * so it need not be as long as the job. Ticks that come before a dead run's lease has ended are skipped. At least
   * 10 ms.
   * @default half the time to the next tick, at least 1 s and at most 30 s
   */
  readonly ttl?: Duration | undefined;
  /**
   * After this long renewal stops, `signal` aborts and the lock is lost, so that a job that hangs does not block all
   * later ticks. At least the ttl.
   * @default none
   */
  readonly maxHold?: Duration | undefined;
  /**
   * A tick comes while a run still goes on, here or elsewhere: `'skip'` the tick, or `'wait'` until the run has ended.
   * A tick waits no longer than until the next one is due, and is skipped then.
   * @default 'skip'
   */
  readonly onOverlap?: OnOverlap | undefined;
  /**
   * The store is down or silent: `'throw'` a `LockUnavailableError`, which Nest logs, and do not run; or `'run'`
   * without any lock, on every instance. At shutdown the tick is skipped all the same.
   * @default 'throw'
   */
  readonly onUnavailable?: OnUnavailable | undefined;
  /**
   * The name of one of the module's `stores`.
   * @default 'default'
   */
  readonly store?: string | undefined;
}

/** Options of `@LockedCron()`: those of Nest's `@Cron()`, and how the job is locked. */
export type LockedCronOptions = CronOptions &
  LockedJobOptions & {
    /**
     * How long a tick stays taken, counted from its beginning, however soon its run ends: clocks of instances may
     * differ by up to this much. It does not delay other ticks, so longer costs nothing but a key in the store.
     * @default half the time to the next tick, at least 30 s and at most 10 min
     */
    readonly minHold?: Duration | undefined;
  };

/** Options of `@LockedInterval()`. */
export interface LockedIntervalOptions extends LockedJobOptions {
  /** The name of the interval in Nest's `SchedulerRegistry`. */
  readonly name?: string | undefined;
}

/** Compiles only on a method that can be a job: it takes nothing, and gives nothing that a skipped tick would lack. */
export type LockedJobDecorator = <J extends () => Promise<void>>(
  target: object,
  name: string,
  descriptor: TypedPropertyDescriptor<J>,
) => void;

type NamesOf<Options> = { readonly [Name in keyof Required<Options>]: true };

const OF_JOBS: NamesOf<LockedJobOptions> = {
  key: true,
  ttl: true,
  maxHold: true,
  onOverlap: true,
  onUnavailable: true,
  store: true,
};

const OF_NEST: NamesOf<CronOptions> = {
  name: true,
  timeZone: true,
  utcOffset: true,
  unrefTimeout: true,
  waitForCompletion: true,
  disabled: true,
  threshold: true,
  initialDelay: true,
};

export const CRON_OPTIONS: readonly string[] = Object.keys({ ...OF_JOBS, minHold: true, ...OF_NEST });
export const INTERVAL_OPTIONS: readonly string[] = Object.keys({ ...OF_JOBS, name: true });

/** The options of a job, checked. */
export interface JobSettings extends Fallbacks {
  /** What does not depend on the tick. */
  readonly settings: LockSettings;
  /** Milliseconds; undefined: by the period. */
  readonly ttl: number | undefined;
  readonly onOverlap: OnOverlap;
  readonly store: string;
}

export function resolveJob(options: LockedJobOptions, site: string): JobSettings {
  const { ttl = SHORTEST_TTL, maxHold, onUnavailable, onOverlap = JOB_DEFAULTS.onOverlap } = options;
  if (onOverlap !== 'skip' && onOverlap !== 'wait') {
    throw new LockOptionsError(`\`onOverlap\` is ${show(onOverlap)}: it has to be 'skip' or 'wait'.`, {
      site,
    });
  }
  // Each tick says how long it is kept. That it is at all has a store refused at boot which cannot do that.
  const settings = resolveSettings({ ttl, maxHold, minHold: 1 }, site);
  return {
    settings,
    ttl: options.ttl === undefined ? undefined : settings.ttl,
    onOverlap,
    store: options.store ?? DEFAULTS.store,
    ...resolveFallbacks({ onBusy: 'skip', onUnavailable }, site),
  };
}
