import { expect, it } from 'vitest';
import { intervalTicks } from '../../../lib/integrations/schedule/interval-ticks.js';

it('an interval has one tick, which is free again when the interval is nearly over', () => {
  const at = intervalTicks(5_000);
  expect(at(1)).toEqual({ name: 'interval', title: 'a turn', period: 5_000, minHold: 4_500 });
  expect(at(1_000_000)).toEqual(at(1));
});

it.each([
  [1, 1],
  [10, 9],
  [1_000, 900],
  [10_000, 9_000],
  [60_000, 59_000],
  [3_600_000, 3_599_000],
])('of %i ms it takes %i', (interval, minHold) => {
  expect(intervalTicks(interval)(0).minHold).toBe(minHold);
});
