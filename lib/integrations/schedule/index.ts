export type { CronSource } from './cron-ticks.js';
export { LockedCron } from './locked-cron.decorator.js';
export { LockedInterval } from './locked-interval.decorator.js';
export type {
  LockedCronOptions,
  LockedIntervalOptions,
  LockedJobDecorator,
  LockedJobOptions,
  OnOverlap,
} from './schedule.options.js';
