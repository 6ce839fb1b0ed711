import { describe, expect, it } from 'vitest';
import { isDue } from '../../../lib/integrations/cache/freshness.js';

/** Of 10,000 readers with every chance once, the part that would load the value anew. */
function partThatRefreshes(msBeforeEnd: number, loadedIn: number, earlyRefresh: number): number {
  const readers = 10_000;
  const freshness = { freshUntil: 50_000, loadedIn };
  let refreshing = 0;
  for (let reader = 0; reader < readers; reader += 1) {
    if (isDue(freshness, earlyRefresh, 50_000 - msBeforeEnd, () => reader / readers)) refreshing += 1;
  }
  return refreshing / readers;
}

describe('early refresh', () => {
  it.each([
    [100, 100, 1, Math.exp(-1)],
    [200, 100, 1, Math.exp(-2)],
    [500, 100, 1, Math.exp(-5)],
    [200, 100, 2, Math.exp(-1)],
    [200, 400, 1, Math.exp(-0.5)],
    [1, 100, 1, Math.exp(-0.01)],
  ])(
    '%i ms before the end, of a load of %i ms, at factor %f: by a chance of %f',
    (before, load, factor, chance) => {
      expect(partThatRefreshes(before, load, factor)).toBeCloseTo(chance, 3);
    },
  );

  it('never happens without it, as long as a value is fresh; always once it is not', () => {
    expect(partThatRefreshes(1, 10_000, 0)).toBe(0);
    expect(partThatRefreshes(0, 10_000, 0)).toBe(1);
    expect(partThatRefreshes(-1, 0, 0)).toBe(1);
  });
});
