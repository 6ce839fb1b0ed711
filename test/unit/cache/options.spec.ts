import { describe, expect, it } from 'vitest';
import { LockService, memoryStore } from '../../../lib/index.js';
import { LockedCache, StampedeGuard } from '../../../lib/integrations/cache/index.js';
import { lockNameOf } from '../../../lib/integrations/cache/lock-name.js';
import { errorOf } from '../../support/deferred.js';
import { lockKeyError, lockOptionsError } from '../base/lock-error.matcher.js';

const NEVER_READ = {
  get: () => Promise.reject(new Error('read')),
  set: () => Promise.reject(new Error('written')),
};
const guard = new StampedeGuard(NEVER_READ, new LockService({ store: memoryStore() }));
const refusal = (options: object, key: unknown) =>
  errorOf(guard.getOrLoad(key as string, () => Promise.reject(new Error('loaded')), options));

describe('options of getOrLoad()', () => {
  it.each<[options: object, problem: RegExp]>([
    [
      { tll: '5s' },
      /there is no option `tll`; the options are: ttl, wait, lockTtl, lockStore, cacheTimeout, /,
    ],
    [{ ttl: 0 }, /`ttl` 0 is too short: at least 1 ms/],
    [{ ttl: '5 min' }, /`ttl` '5 min' is no duration/],
    [{ wait: -1 }, /`wait` -1 is too short/],
    [{ lockTtl: 9 }, /`lockTtl` 9 is too short: at least 10 ms/],
    [{ lockStore: 'billing' }, /there is no store called 'billing'/],
    [{ cacheTimeout: 0 }, /`cacheTimeout` 0 is too short/],
    [{ ttl: '1m', earlyRefresh: -1 }, /`earlyRefresh` is -1: give a number, at least 0/],
    [{ ttl: '1m', earlyRefresh: Number.NaN }, /`earlyRefresh` is NaN/],
    [{ ttl: '1m', earlyRefresh: true }, /`earlyRefresh` is true/],
    [{ staleFor: '1m' }, /`earlyRefresh` and `staleFor` need a ttl/],
    [{ earlyRefresh: 1 }, /`earlyRefresh` and `staleFor` need a ttl/],
  ])('that cannot work are refused: %j', async (options, problem) => {
    expect(await refusal(options, 'k')).toEqual(lockOptionsError(problem));
  });

  it.each([undefined, null, '', 42])('a key that is none is refused: %j', async (key) => {
    expect(await refusal({}, key)).toEqual(
      lockKeyError(/^StampedeGuard\.getOrLoad: the key is .* non-empty string/),
    );
  });
});

describe('options of @LockedCache()', () => {
  const decorate = (options: object) => () => {
    class Cats {
      @LockedCache(options)
      find(): void {}
    }
    return Cats;
  };

  it('are checked when the class is defined, and name the method', () => {
    expect(decorate({ wait: '20s', earlyRefresh: 1.5, staleFor: '1m' })).not.toThrow();
    expect(decorate({ waitt: '20s' })).toThrow(lockOptionsError(/^Cats\.find: there is no option `waitt`/));
    expect(decorate({ ttl: '1m' })).toThrow(lockOptionsError(/^Cats\.find: there is no option `ttl`/));
    expect(decorate({ staleFor: 'soon' })).toThrow(lockOptionsError(/^Cats\.find: `staleFor` 'soon' is no/));
  });

  it('name the class where they are on it', () => {
    expect(() => LockedCache({ wait: -1 })(class Cats {})).toThrow(lockOptionsError(/^Cats: `wait` -1/));
  });
});

describe('the lock of a value in the cache', () => {
  it('has its name', () => {
    expect(lockNameOf('/cats?page=2')).toBe('cache:/cats?page=2');
    expect(lockNameOf('x'.repeat(506))).toBe(`cache:${'x'.repeat(506)}`);
  });

  it.each([
    ['is too long for a lock', 'x'.repeat(507)],
    ['has too many bytes', 'ä'.repeat(254)],
    ['has broken characters', 'cats:\ud800'],
  ])('has a short name of its own where that %s', (_why, key) => {
    expect(lockNameOf(key)).toMatch(/^cache:sha256:[0-9a-f]{64}$/);
    expect(lockNameOf(key)).not.toBe(lockNameOf(`${key}?`));
  });
});
