import { Cron } from '@nestjs/schedule';
import { parseDuration } from '../../base/duration.js';
import { type CronSource, cronTicks } from './cron-ticks.js';
import { CRON_OPTIONS, type LockedCronOptions, type LockedJobDecorator } from './schedule.options.js';
import { scheduleLocked } from './scheduled-method.js';

/**
 * Nest's `@Cron()`, once for each tick over all instances, and never two runs at once.
 *
 * ```ts
 * @LockedCron('0 3 * * *', { timeZone: 'Europe/Berlin' })
 * async sendReports(): Promise<void> { … }
 * ```
 *
 * Instances take the time of the tick, by the expression and its time zone. So their clocks may differ, by `minHold`, and
 * the job may be over in 5 ms. `currentLock()` inside the job has a `signal` and a `fencingToken`. A tick that is skipped
 * gives a debug message and an observer's `onBusy`. All options of `@Cron()` are passed on.
 */
export function LockedCron(cronTime: CronSource, options: LockedCronOptions = {}): LockedJobDecorator {
  return scheduleLocked('@LockedCron()', options, CRON_OPTIONS, (site) => {
    const { key, ttl, maxHold, onOverlap, onUnavailable, store, minHold, ...nests } = options;
    const { timeZone, utcOffset } = nests;
    return {
      lock: { key, ttl, maxHold, onOverlap, onUnavailable, store },
      tickAt: cronTicks(cronTime, {
        timeZone,
        utcOffset,
        minHold:
          minHold === undefined ? undefined : parseDuration(minHold, { option: 'minHold', min: 1, site }),
        site,
      }),
      decorate: Cron(cronTime, nests),
    };
  });
}
