import { stat } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../lib/base/clock.js';
import { within } from '../../../lib/integrations/cache/within.js';
import { ManualClock } from '../../../lib/testing/index.js';
import { errorOf } from '../../support/deferred.js';

describe('an answer within a time limit', () => {
  it('is given, or the error that came instead', async () => {
    const clock = new ManualClock();
    expect(await within(Promise.resolve('answer'), 10, clock)).toBe('answer');
    const error = new Error('mine');
    expect(await errorOf(within(Promise.reject(error), 10, clock))).toBe(error);
  });

  it('that does not come is an error', async () => {
    const clock = new ManualClock();
    const error = errorOf(within(new Promise(() => {}), 10, clock));
    await clock.advance(10);
    expect(await error).toEqual(new Error('no answer within 10 ms'));
  });

  it('that has come while the event loop was busy is in time', async () => {
    const answer = within(stat('.'), 10, systemClock);
    const busyUntil = performance.now() + 50;
    while (performance.now() < busyUntil);
    expect((await answer).isDirectory()).toBe(true);
  });
});
