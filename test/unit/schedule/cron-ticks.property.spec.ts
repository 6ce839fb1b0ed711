import fc from 'fast-check';
import { expect, it } from 'vitest';
import { cronTicks } from '../../../lib/integrations/schedule/cron-ticks.js';

const field = (low: number, high: number) =>
  fc.oneof(fc.constant('*'), fc.integer({ min: low, max: high }).map(String));
const expressions = fc
  .tuple(field(0, 59), field(0, 59), field(0, 23), field(1, 28), field(1, 12))
  .map((fields) => `${fields.join(' ')} *`);
const moments = fc.integer({ min: Date.parse('2020-01-01'), max: Date.parse('2026-01-01') });

it('the tick of a call lies at the call or before it, and none comes between', () => {
  fc.assert(
    fc.property(expressions, moments, (expression, moment) => {
      const tickAt = cronTicks(expression, { timeZone: 'UTC', minHold: undefined, site: 'Reports.run' });
      const call = moment - (moment % 1_000) + 500;
      const tick = tickAt(call);
      const time = Date.parse(tick.title.replace('the tick of ', ''));
      expect(time).toBeLessThanOrEqual(call);
      expect(time + tick.period).toBeGreaterThan(call);
      expect(tickAt(time)).toEqual(tick);
    }),
    { numRuns: 50 },
  );
});
