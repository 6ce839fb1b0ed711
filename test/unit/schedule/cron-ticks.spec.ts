import { CronExpression } from '@nestjs/schedule';
import { describe, expect, it } from 'vitest';
import { type CronSource, cronTicks } from '../../../lib/integrations/schedule/cron-ticks.js';
import { lockOptionsError } from '../base/lock-error.matcher.js';

interface Zone {
  readonly timeZone?: string;
  readonly utcOffset?: number;
  readonly minHold?: number;
}

const ticksOf = (source: unknown, { minHold, ...zone }: Zone = { timeZone: 'UTC' }) =>
  cronTicks(source as CronSource, { ...zone, minHold, site: 'Reports.run' });

/** The time of the tick that a call at this moment is for. */
function tickAt(source: unknown, now: string, zone?: Zone): string {
  return ticksOf(source, zone)(Date.parse(now)).title.replace('the tick of ', '');
}

const berlin = { timeZone: 'Europe/Berlin' };
const newYork = { timeZone: 'America/New_York' };

describe('the tick that a call is for', () => {
  it.each<[source: string, now: string, tick: string]>([
    ['* * * * * *', '2026-05-01T10:00:07.000Z', '2026-05-01T10:00:07.000Z'],
    ['* * * * * *', '2026-05-01T10:00:07.940Z', '2026-05-01T10:00:07.000Z'],
    ['*/10 * * * * *', '2026-05-01T10:00:10.004Z', '2026-05-01T10:00:10.000Z'],
    ['*/10 * * * * *', '2026-05-01T10:00:19.900Z', '2026-05-01T10:00:10.000Z'],
    ['*/5 * * * *', '2026-05-01T10:05:00.003Z', '2026-05-01T10:05:00.000Z'],
    ['0 3 * * *', '2026-05-01T03:00:00.100Z', '2026-05-01T03:00:00.000Z'],
    ['0 0 1 * *', '2026-03-01T00:00:00.001Z', '2026-03-01T00:00:00.000Z'],
    ['0 0 29 2 *', '2028-02-29T00:00:02.000Z', '2028-02-29T00:00:00.000Z'],
    ['0 0 31 * *', '2026-05-31T00:00:00.000Z', '2026-05-31T00:00:00.000Z'],
    ['@monthly', '2026-01-01T00:00:00.020Z', '2026-01-01T00:00:00.000Z'],
    [CronExpression.EVERY_WEEKDAY, '2026-05-04T00:00:00.020Z', '2026-05-04T00:00:00.000Z'],
  ])('%s, called in time at %s', (source, now, tick) => {
    expect(tickAt(source, now)).toBe(tick);
  });

  it.each<[source: string, now: string, tick: string]>([
    ['* * * * * *', '2026-05-01T10:00:11.500Z', '2026-05-01T10:00:11.000Z'],
    ['0 3 * * *', '2026-05-01T17:20:00.000Z', '2026-05-01T03:00:00.000Z'],
    ['0 3 * * *', '2026-05-01T02:59:00.000Z', '2026-04-30T03:00:00.000Z'],
    ['* * 0 * * *', '2026-05-01T23:59:59.000Z', '2026-05-01T00:59:59.000Z'],
    ['0 0 1 */3 *', '2026-06-30T12:00:00.000Z', '2026-04-01T00:00:00.000Z'],
    ['0 0 31 * *', '2026-03-01T00:00:00.000Z', '2026-01-31T00:00:00.000Z'],
    ['0 0 29 2 *', '2027-05-01T00:00:00.000Z', '2024-02-29T00:00:00.000Z'],
  ])('%s, called late at %s, is the last one that was due', (source, now, tick) => {
    expect(tickAt(source, now)).toBe(tick);
  });

  it('is the coming one when the clock was set back by a few milliseconds after the timer fired', () => {
    expect(tickAt('0 3 * * *', '2026-05-01T02:59:59.990Z')).toBe('2026-05-01T03:00:00.000Z');
  });

  it('is by the time zone, or by the offset', () => {
    const now = '2026-05-01T12:00:00.000Z';
    expect(tickAt('0 3 * * *', now, berlin)).toBe('2026-05-01T01:00:00.000Z');
    expect(tickAt('0 3 * * *', now, newYork)).toBe('2026-05-01T07:00:00.000Z');
    expect(tickAt('0 3 * * *', now, { utcOffset: 330 })).toBe('2026-04-30T21:30:00.000Z');
    expect(tickAt('0 3 * * *', now, { utcOffset: -90 })).toBe('2026-05-01T04:30:00.000Z');
    expect(tickAt('0 3 * * *', now, { utcOffset: 0 })).toBe('2026-05-01T03:00:00.000Z');
  });

  it('is by the zone of the system where none is given', () => {
    const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
    const now = '2026-05-01T12:34:56.000Z';
    expect(tickAt('0 3 * * *', now, {})).toBe(tickAt('0 3 * * *', now, { timeZone }));
  });

  it('of a Date is that Date, whenever it is called', () => {
    const once = new Date('2026-05-01T10:00:07.123Z');
    expect(tickAt(once, '2026-05-01T10:00:07.130Z')).toBe('2026-05-01T10:00:07.123Z');
    expect(tickAt(once, '2026-05-03T00:00:00.000Z')).toBe('2026-05-01T10:00:07.123Z');
  });
});

describe('its name', () => {
  const secondly = ticksOf('* * * * * *');
  const nameAt = (now: string) => secondly(Date.parse(now)).name;

  it('is the same wherever a clock says that it is due, and another for the ticks beside it', () => {
    expect(nameAt('2026-05-01T10:05:30.002Z')).toBe('05:30');
    expect(nameAt('2026-05-01T10:05:30.412Z')).toBe('05:30');
    expect(nameAt('2026-05-01T10:05:31.002Z')).toBe('05:31');
  });

  it('comes again after an hour, and not before', () => {
    const from = Date.parse('2026-05-01T10:05:30.000Z');
    const names = Array.from({ length: 3_600 }, (_, index) => secondly(from + index * 1_000).name);
    expect(new Set(names)).toHaveLength(3_600);
    expect(nameAt('2026-05-01T11:05:30.000Z')).toBe(names[0]);
  });

  it('never comes again where the tick is kept for long, or where there is only one', () => {
    const now = Date.parse('2026-05-01T03:00:00.000Z');
    const kept = ticksOf('0 3 * * *', { timeZone: 'UTC', minHold: 1_800_001 });
    expect(kept(now).name).toBe('2026-05-01T03:00:00.000Z');
    expect(ticksOf(new Date(now + 5))(now).name).toBe('2026-05-01T03:00:00.005Z');
  });
});

describe('its period and how long it is kept', () => {
  const now = Date.parse('2026-05-01T00:00:00.000Z');
  const [SECOND, MINUTE, HOUR] = [1_000, 60_000, 3_600_000];

  it.each<[source: string, period: number, minHold: number]>([
    ['* * * * * *', SECOND, 30 * SECOND],
    ['* * * * *', MINUTE, 30 * SECOND],
    ['*/5 * * * *', 5 * MINUTE, 150 * SECOND],
    ['*/20 * * * *', 20 * MINUTE, 10 * MINUTE],
    ['0 * * * *', HOUR, 10 * MINUTE],
    ['0 0 1 * *', 31 * 24 * HOUR, 10 * MINUTE],
  ])('%s', (source, period, minHold) => {
    expect(ticksOf(source)(now)).toMatchObject({ period, minHold });
  });

  it('are those of this tick where the times between ticks differ', () => {
    const twice = ticksOf('0,10 * * * * *');
    expect(twice(now).period).toBe(10 * SECOND);
    expect(twice(now + 10 * SECOND).period).toBe(50 * SECOND);
  });

  it('a Date is kept for ten minutes', () => {
    expect(ticksOf(new Date(now))(now).minHold).toBe(10 * MINUTE);
  });

  it('what is given stands', () => {
    expect(ticksOf('* * * * * *', { minHold: 5 })(now).minHold).toBe(5);
    expect(ticksOf(new Date(now), { minHold: 5 })(now).minHold).toBe(5);
  });
});

describe('what is no time for a job is refused', () => {
  it.each<[what: string, source: unknown, zone: Zone, problem: RegExp]>([
    ['too few fields', '* *', {}, /'\* \*' is no time .*: Too few fields/],
    ['no expression', 'every day', {}, /'every day' is no time .*: Unknown alias/],
    ['a day that never comes', '0 0 30 2 *', {}, /'0 0 30 2 \*' is no time .*: .*No execution date/],
    ['an unknown zone', '0 3 * * *', { timeZone: 'Europe/Berln' }, /\(Europe\/Berln\) .*: Invalid timezone/],
    ['an impossible offset', '0 3 * * *', { utcOffset: 1e6 }, /\(UTC offset 1000000\) is no time/],
    [
      'a zone and an offset',
      '0 3 * * *',
      { timeZone: 'UTC', utcOffset: 0 },
      /\(UTC\) is no time .*both timeZone and utcOffset/,
    ],
    ['an invalid Date', new Date(Number.NaN), {}, /an object \(Date\) is no time .* valid Date/],
    ['undefined', undefined, {}, /undefined is no time/],
    ['null', null, {}, /null is no time/],
    ['a number', 5, {}, /5 is no time/],
    ['an object', {}, {}, /an object \(Object\) is no time/],
  ])('%s', (_what, source, zone, problem) => {
    expect(() => ticksOf(source, zone)).toThrow(lockOptionsError(problem));
    expect(() => ticksOf(source, zone)).toThrow(/^Reports\.run: /);
  });
});
