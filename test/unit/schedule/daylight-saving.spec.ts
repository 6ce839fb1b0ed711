import { CronJob } from 'cron';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { cronTicks } from '../../../lib/integrations/schedule/cron-ticks.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Runs the job of the package `cron` for two days, and gives each time at which it fired, with that of our tick. */
async function firedBy(
  expression: string,
  timeZone: string,
  from: string,
): Promise<readonly [string, string][]> {
  vi.setSystemTime(new Date(from));
  const tickAt = cronTicks(expression, { timeZone, minHold: undefined, site: 'Reports.run' });
  const fired: [string, string][] = [];
  const onTick = () => {
    fired.push([new Date().toISOString(), tickAt(Date.now()).title.replace('the tick of ', '')]);
  };
  const job = CronJob.from({ cronTime: expression, onTick, timeZone, start: true });
  await vi.advanceTimersByTimeAsync(48 * 3_600_000);
  await job.stop();
  return fired;
}

/** When daylight saving begins and ends, from the day before. */
const CHANGES = [
  ['Europe/Berlin', 'begins', '2026-03-28T12:00:00.000Z'],
  ['Europe/Berlin', 'ends', '2026-10-24T12:00:00.000Z'],
  ['America/New_York', 'begins', '2026-03-07T17:00:00.000Z'],
  ['America/New_York', 'ends', '2026-10-31T16:00:00.000Z'],
] as const;

const EXPRESSIONS = [
  ['0 2 * * *', 2],
  ['30 2 * * *', 2],
  ['0 3 * * *', 2],
  ['30 1 * * *', 2],
  ['0 0 * * *', 2],
  ['15 1-3 * * *', 5],
  ['0 * * * *', 48],
  ['*/20 * * * *', 144],
  ['0 */2 * * *', 20],
] as const;

describe.each(CHANGES)('in %s, when daylight saving %s', (timeZone, _change, from) => {
  it.each(EXPRESSIONS)(
    'each time that cron fires %s is a tick of ours, with a name of its own',
    async (expression, atLeast) => {
      const fired = await firedBy(expression, timeZone, from);
      expect(fired.length).toBeGreaterThanOrEqual(atLeast);
      for (const [firedAt, tick] of fired) expect(tick).toBe(firedAt);
      expect(new Set(fired.map(([, tick]) => tick))).toHaveLength(fired.length);
    },
  );
});

describe('a time that', () => {
  const ticksOf = async (...args: Parameters<typeof firedBy>) =>
    (await firedBy(...args)).map(([, tick]) => tick);

  it('is left out in spring comes when the clocks are set forward', async () => {
    expect(await ticksOf('30 2 * * *', 'Europe/Berlin', '2026-03-28T12:00:00.000Z')).toEqual([
      '2026-03-29T01:00:00.000Z',
      '2026-03-30T00:30:00.000Z',
    ]);
  });

  it('comes twice in autumn is taken the first time', async () => {
    expect(await ticksOf('30 1 * * *', 'America/New_York', '2026-10-31T16:00:00.000Z')).toEqual([
      '2026-11-01T05:30:00.000Z',
      '2026-11-02T06:30:00.000Z',
    ]);
  });
});

it('an event loop that was blocked past several ticks gives the last of them', async () => {
  vi.setSystemTime(new Date('2026-05-01T10:00:00.500Z'));
  const tickAt = cronTicks('* * * * * *', { timeZone: 'UTC', minHold: undefined, site: 'Reports.run' });
  const fired: string[] = [];
  const onTick = () => fired.push(tickAt(Date.now()).name);
  const job = CronJob.from({
    cronTime: '* * * * * *',
    onTick: () => void onTick(),
    timeZone: 'UTC',
    start: true,
  });
  await vi.advanceTimersByTimeAsync(1_000);
  vi.setSystemTime(new Date('2026-05-01T10:00:05.200Z'));
  await vi.advanceTimersByTimeAsync(2_000);
  await job.stop();
  expect(fired[0]).toBe('00:01');
  expect(fired[1]).toBe('00:05');
  expect(new Set(fired)).toHaveLength(fired.length);
});
