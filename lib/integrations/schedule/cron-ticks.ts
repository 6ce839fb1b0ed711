import type { Cron } from '@nestjs/schedule';
import { CronTime } from 'cron';
import { asError } from '../../base/as-error.js';
import { LONGEST_DELAY } from '../../base/clock.js';
import { show } from '../../base/show.js';
import { LockOptionsError } from '../../lock.errors.js';
import { halfOf } from './period.js';
import { JOB_DEFAULTS } from './schedule.options.js';
import type { TickAt } from './tick.js';

/** What Nest's `@Cron()` takes: an expression, a `Date`, or a `DateTime` of luxon. */
export type CronSource = Parameters<typeof Cron>[0];

interface CronTicksOptions {
  readonly timeZone?: string | undefined;
  /** Minutes. */
  readonly utcOffset?: number | undefined;
  /** Milliseconds; undefined: by the period. */
  readonly minHold: number | undefined;
  readonly site: string;
}

const SECOND = 1_000;
/** A clock that is set back by this much between the timer and the call changes nothing. */
const EARLY = 50;
/** Claims up to this long are over for sure when their name comes again. */
const HALF_AN_HOUR = 1_800_000;

/** The ticks of a cron expression in its time zone, as the package `cron`, which Nest uses, counts them. */
export function cronTicks(source: CronSource, options: CronTicksOptions): TickAt {
  if (typeof source !== 'string') return onlyTick(dateOf(source, options.site), options);
  const nextAfter = compile(source, options);
  return (now) => {
    const time = lastAt(now + EARLY, nextAfter);
    const period = Math.max(SECOND, nextAfter(time) - time);
    const minHold = options.minHold ?? halfOf(period, JOB_DEFAULTS.minHold);
    return { name: nameOf(time, minHold), title: titleOf(time), period, minHold };
  };
}

function onlyTick(time: number, { minHold = JOB_DEFAULTS.minHold.atMost }: CronTicksOptions): TickAt {
  const tick = { name: isoOf(time), title: titleOf(time), period: LONGEST_DELAY, minHold };
  return () => tick;
}

/**
 * Stores remember something of each key, if only its last token, so names come again with every hour (`05:30`): a job
 * that runs every second would otherwise leave 86,400 of them a day.
 */
function nameOf(time: number, minHold: number): string {
  return minHold <= HALF_AN_HOUR ? isoOf(time).slice(14, 19) : isoOf(time);
}

function titleOf(time: number): string {
  return `the tick of ${isoOf(time)}`;
}

function isoOf(time: number): string {
  return new Date(time).toISOString();
}

type NextAfter = (time: number) => number;

function compile(source: string, { timeZone, utcOffset, site }: CronTicksOptions): NextAfter {
  try {
    // Its types allow one of them, and it says so itself where both were given.
    const time = new CronTime(source, timeZone, utcOffset as undefined);
    const zone = utcOffset === undefined ? time.timeZone : zoneOf(utcOffset);
    const nextAfter = (after: number) => time.getNextDateFrom(new Date(after), zone).toMillis();
    nextAfter(Date.now()); // an expression for the 30th of February is found out here
    return nextAfter;
  } catch (cause) {
    const where = timeZone ?? (utcOffset === undefined ? undefined : `UTC offset ${utcOffset}`);
    const [problem] = asError(cause).message.split('\n');
    throw new LockOptionsError(
      `${show(source)}${where === undefined ? '' : ` (${where})`} is no time at which a job can run: ${problem}`,
      { site, cause },
    );
  }
}

/** `UTC+05:30`, as `cron` makes it of the minutes. */
function zoneOf(utcOffset: number): string {
  const two = (value: number) => String(Math.trunc(value)).padStart(2, '0');
  const minutes = Math.abs(utcOffset);
  return `UTC${utcOffset < 0 ? '-' : '+'}${two(minutes / 60)}:${two(minutes % 60)}`;
}

function dateOf(source: Exclude<CronSource, string>, site: string): number {
  const time = source instanceof Date ? source.getTime() : source?.toMillis?.();
  if (Number.isFinite(time)) return time;
  throw new LockOptionsError(
    `${show(source)} is no time at which a job can run: give a cron expression or a valid Date.`,
    { site },
  );
}

/**
 * The last tick at this moment or before. That of a call in time is found with the first look. One that comes late,
 * be it by days, costs a few dozen: ticks are on whole seconds, and `cron` can only look forward.
 */
function lastAt(now: number, nextAfter: NextAfter): number {
  let tooLate = Math.floor(now / SECOND) * SECOND;
  let early = tooLate - SECOND;
  for (let step = SECOND; nextAfter(early) > now; step *= 2) {
    tooLate = early;
    early -= step;
  }
  while (tooLate - early > SECOND) {
    const middle = early + Math.floor((tooLate - early) / 2 / SECOND) * SECOND;
    if (nextAfter(middle) > now) tooLate = middle;
    else early = middle;
  }
  return nextAfter(early);
}
