import { describe, expect, it } from 'vitest';
import { DEFAULTS, resolveFallbacks, resolveSettings } from '../../../lib/lock.options.js';
import { lockOptionsError } from '../base/lock-error.matcher.js';

const SITE = 'Orders.ship';
const settingsOf = (options: Record<string, unknown> = {}) => resolveSettings(options, SITE);

describe('the defaults', () => {
  it('are those of the documentation', () => {
    expect(settingsOf()).toEqual({
      ttl: 30_000,
      wait: 5_000,
      minHold: 0,
      maxHold: undefined,
      renew: true,
      mode: 'exclusive',
      permits: 1,
    });
    expect(resolveFallbacks({}, SITE)).toEqual({ onBusy: 'throw', onUnavailable: 'throw' });
    expect(DEFAULTS).toMatchObject({ store: 'default', isGlobal: true, shutdownTimeout: '10s' });
  });

  it('stand in for what is undefined, and only for that', () => {
    const all = ['ttl', 'wait', 'minHold', 'maxHold', 'renew', 'mode', 'permits'];
    expect(settingsOf(Object.fromEntries(all.map((name) => [name, undefined])))).toEqual(settingsOf());
    expect(resolveFallbacks({ onBusy: undefined, onUnavailable: undefined }, SITE)).toEqual(
      resolveFallbacks({}, SITE),
    );
    for (const name of all) {
      expect(() => settingsOf({ [name]: null }), name).toThrow(
        lockOptionsError(new RegExp(`^Orders\\.ship: \`${name}\` (is )?null`)),
      );
    }
  });

  it('hold with a ttl of ten seconds and renewal, and not with 100 ms and none (peers.md 16)', () => {
    expect(settingsOf().ttl).toBeGreaterThanOrEqual(10_000);
    expect(settingsOf().renew).toBe(true);
  });
});

describe('settings', () => {
  it('have every duration in milliseconds', () => {
    expect(settingsOf({ ttl: '1m', wait: '1.5s', minHold: '2s', maxHold: '1h' })).toMatchObject({
      ttl: 60_000,
      wait: 1_500,
      minHold: 2_000,
      maxHold: 3_600_000,
    });
  });

  it('keep what was chosen', () => {
    expect(settingsOf({ renew: false, mode: 'shared' })).toMatchObject({ renew: false, mode: 'shared' });
    expect(settingsOf({ permits: 3 })).toMatchObject({ permits: 3, mode: 'exclusive' });
    expect(settingsOf({ permits: 1, mode: 'shared' })).toMatchObject({ permits: 1, mode: 'shared' });
  });

  it('allow the limits themselves', () => {
    expect(settingsOf({ ttl: 10 }).ttl).toBe(10);
    expect(settingsOf({ wait: 0 }).wait).toBe(0);
    expect(settingsOf({ ttl: '10s', maxHold: 10_000 }).maxHold).toBe(10_000);
    expect(settingsOf({ permits: Number.MAX_SAFE_INTEGER }).permits).toBe(Number.MAX_SAFE_INTEGER);
  });
});

describe('bad input is a LockOptionsError with the site, the option and the value', () => {
  const DURATIONS = ['ttl', 'wait', 'minHold', 'maxHold'] as const;

  it.each(DURATIONS)('%s: malformed, negative, NaN or endless', (option) => {
    for (const value of ['10 sec', '-5s', '1e3s', '', ' 5s', Number.NaN, {}, true]) {
      expect(() => settingsOf({ [option]: value }), JSON.stringify(value)).toThrow(
        lockOptionsError(new RegExp(`^Orders\\.ship: \`${option}\` .* is no duration`)),
      );
    }
    expect(() => settingsOf({ [option]: -1 })).toThrow(
      lockOptionsError(new RegExp(`^Orders\\.ship: \`${option}\` -1 is too short`)),
    );
    expect(() => settingsOf({ [option]: Number.POSITIVE_INFINITY })).toThrow(
      lockOptionsError(new RegExp(`^Orders\\.ship: \`${option}\` Infinity is too long`)),
    );
  });

  it.each([0, 1, 9, '9ms', '0s', '0.009s'])('ttl %j: under 10 ms', (ttl) => {
    expect(() => settingsOf({ ttl })).toThrow(
      lockOptionsError(new RegExp(`^Orders\\.ship: \`ttl\` '?${ttl}'? is too short: at least 10 ms`)),
    );
  });

  it.each<[options: Record<string, unknown>, maxHold: number, ttl: number]>([
    [{ maxHold: '29999ms' }, 29_999, 30_000],
    [{ ttl: '1m', maxHold: '30s' }, 30_000, 60_000],
    [{ maxHold: 0 }, 0, 30_000],
  ])('%j: maxHold under the ttl', (options, maxHold, ttl) => {
    expect(() => settingsOf(options)).toThrow(
      lockOptionsError(
        new RegExp(`^Orders\\.ship: \`maxHold\` \\(${maxHold} ms\\) is shorter than \`ttl\` \\(${ttl} ms\\)`),
      ),
    );
  });

  it.each<[permits: unknown, shown: string]>([
    [0, '0'],
    [-1, '-1'],
    [1.5, '1\\.5'],
    [Number.NaN, 'NaN'],
    [Number.POSITIVE_INFINITY, 'Infinity'],
    [2 ** 53, '9007199254740992'],
    ['2', "'2'"],
    [2n, '2'],
    [{}, 'an object'],
    [Symbol('2'), 'Symbol\\(2\\)'],
  ])('permits %o', (permits, shown) => {
    expect(() => settingsOf({ permits })).toThrow(
      lockOptionsError(new RegExp(`^Orders\\.ship: \`permits\` is ${shown}.*: .* whole number, at least 1`)),
    );
  });

  it('permits of a shared lock', () => {
    expect(() => settingsOf({ permits: 2, mode: 'shared' })).toThrow(
      lockOptionsError(/^Orders\.ship: `mode: 'shared'` and `permits: 2` do not go together/),
    );
  });

  it.each<[option: string, value: unknown, shown: string, allowed: string]>([
    ['mode', 'read', "'read'", "'exclusive' or 'shared'"],
    ['mode', '', "''", "'exclusive' or 'shared'"],
    ['mode', 'Shared', "'Shared'", "'exclusive' or 'shared'"],
    ['renew', 'false', "'false'", 'true or false'],
    ['renew', 0, '0', 'true or false'],
    ['renew', Object.create(null), 'an object (without a class)', 'true or false'],
  ])('%s %o', (option, value, shown, allowed) => {
    expect(() => settingsOf({ [option]: value })).toThrow(
      `Orders.ship: \`${option}\` is ${shown}: it has to be ${allowed}.`,
    );
    expect(() => settingsOf({ [option]: value })).toThrow(lockOptionsError(/./));
  });
});
