import { Interval } from '@nestjs/schedule';
import { type Duration, parseDuration } from '../../base/duration.js';
import { intervalTicks } from './interval-ticks.js';
import { INTERVAL_OPTIONS, type LockedIntervalOptions, type LockedJobDecorator } from './schedule.options.js';
import { scheduleLocked } from './scheduled-method.js';

/**
 * Nest's `@Interval()`, once for each interval over all instances, and never two runs at once.
 *
 * ```ts
 * @LockedInterval('30s')
 * async poll(): Promise<void> { … }
 * ```
 *
 * Runs of all instances together begin no further apart than the interval, and no closer than nine tenths of it (from
 * 10 s on: the interval less a second). When the instance that had the last turn dies, the next one comes within twice
 * the interval. No clock has a part in it but the store's.
 */
export function LockedInterval(interval: Duration, options: LockedIntervalOptions = {}): LockedJobDecorator {
  return scheduleLocked('@LockedInterval()', options, INTERVAL_OPTIONS, (site) => {
    const { name, ...lock } = options;
    const ms = parseDuration(interval, { option: 'interval', min: 1, site });
    return {
      lock,
      tickAt: intervalTicks(ms),
      decorate: name === undefined ? Interval(ms) : Interval(name, ms),
    };
  });
}
