import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LONGEST_DELAY } from '../../../lib/base/clock.js';
import { type Duration, parseDuration } from '../../../lib/base/duration.js';
import { LockOptionsError } from '../../../lib/index.js';
import { lockOptionsError } from './lock-error.matcher.js';

const parse = (value: unknown, min = 0) =>
  parseDuration(value as Duration, { option: 'ttl', min, site: 'Orders.ship' });

describe('a duration', () => {
  it.each<[value: Duration, ms: number]>([
    [0, 0],
    [1500, 1500],
    ['0ms', 0],
    ['250ms', 250],
    ['30s', 30_000],
    ['5m', 300_000],
    ['1h', 3_600_000],
    ['007s', 7_000],
    ['596h', 2_145_600_000],
  ])('%j is %d ms', (value, ms) => {
    expect(parse(value)).toBe(ms);
  });

  it.each<[value: Duration, ms: number]>([
    ['1.5s', 1_500],
    ['0.5m', 30_000],
    ['0.25h', 900_000],
    ['1.005s', 1_005],
    ['0.1s', 100],
    ['2.4ms', 2],
    ['2.6ms', 3],
    [2.4, 2],
    [1e3, 1_000],
  ])('%j is %d ms: fractions become whole milliseconds', (value, ms) => {
    expect(parse(value)).toBe(ms);
  });

  it.each([
    '',
    ' ',
    '5',
    's',
    'ms',
    '10 sec',
    '10 s',
    ' 5s',
    '5s ',
    '5s\n',
    '-5s',
    '+5s',
    '1e3s',
    '0x10s',
    '1_000s',
    '1,5s',
    '.5s',
    '5.s',
    '1.2.3s',
    '5S',
    '5sec',
    '5min',
    '5d',
    '1h30m',
    'PT5S',
    '٥s',
    'Infinitys',
    'NaNs',
  ])('%j is none: the message names the option, the value and the site', (value) => {
    expect(() => parse(value)).toThrow(
      lockOptionsError(/^Orders\.ship: `ttl` '[^']*' is no duration: give milli/),
    );
    expect(messageOf(() => parse(value))).toContain(`'${value}'`);
  });

  it.each<[value: unknown, shown: string]>([
    [Number.NaN, 'NaN'],
    [undefined, 'undefined'],
    [null, 'null'],
    [true, 'true'],
    [5n, '5'],
    [{}, 'an object (Object)'],
    [Object.create(null), 'an object (without a class)'],
    [['5s'], 'an array'],
    [new Date(5), 'an object (Date)'],
    [Symbol('5s'), 'Symbol(5s)'],
    [() => 5, 'a function'],
  ])('%o is none', (value, shown) => {
    expect(messageOf(() => parse(value))).toContain(`\`ttl\` ${shown} is no duration`);
  });

  it.each<[value: Duration, min: number]>([
    [-1, 0],
    [-0.4, 0],
    [Number.NEGATIVE_INFINITY, 0],
    [9, 10],
    [9.9, 10],
    ['9ms', 10],
    ['9.9ms', 10],
    ['0s', 1],
  ])('%j is too short where at least %d ms are needed', (value, min) => {
    expect(() => parse(value, min)).toThrow(
      lockOptionsError(new RegExp(`^Orders\\.ship: \`ttl\` '?${value}'? is too short: at least ${min} ms`)),
    );
  });

  it.each<[value: Duration]>([
    [LONGEST_DELAY + 1],
    ['597h'],
    ['25000h'],
    [Number.MAX_VALUE],
    [Number.POSITIVE_INFINITY],
    [`${'9'.repeat(400)}s` as Duration],
  ])('%j is too long for a timer', (value) => {
    expect(() => parse(value)).toThrow(
      lockOptionsError(/^Orders\.ship: `ttl` '?[\dIe+.]+(?:nfinity|h|s)?'? is too long: at most 24 days/),
    );
  });

  it('may be as short and as long as allowed', () => {
    expect(parse(10, 10)).toBe(10);
    expect(parse('10ms', 10)).toBe(10);
    expect(parse(LONGEST_DELAY)).toBe(LONGEST_DELAY);
  });

  it('needs no site', () => {
    expect(() => parseDuration(-1, { option: 'wait', min: 0 })).toThrow(
      lockOptionsError(/^`wait` -1 is too short/),
    );
  });
});

describe('durations, whatever they are', () => {
  const UNITS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 } as const;
  type Unit = keyof typeof UNITS;
  const unit = fc.constantFrom(...(Object.keys(UNITS) as Unit[]));

  it('a whole number of a unit is that many times the unit', () => {
    const whole = unit.chain((name) =>
      fc.tuple(fc.nat({ max: Math.floor(LONGEST_DELAY / UNITS[name]) }), fc.constant(name)),
    );
    fc.assert(
      fc.property(whole, ([count, name]) => {
        expect(parse(`${count}${name}`)).toBe(count * UNITS[name]);
      }),
    );
  });

  it('a decimal fraction is off by less than a millisecond, and never below the minimum', () => {
    fc.assert(
      fc.property(fc.nat({ max: 500 }), fc.nat({ max: 999 }), unit, (whole, fraction, name) => {
        const text = `${whole}.${String(fraction).padStart(3, '0')}`;
        const exact = (whole * 1_000 + fraction) * (UNITS[name] / 1_000);
        const ms = parse(`${text}${name}`);
        expect(Number.isSafeInteger(ms)).toBe(true);
        expect(Math.abs(ms - exact)).toBeLessThan(1);
      }),
    );
  });

  it('anything gives whole milliseconds within the limits, or a LockOptionsError', () => {
    const text = fc
      .tuple(fc.string(), fc.constantFrom('', 'ms', 's', 'm', 'h'))
      .map((parts) => parts.join(''));
    const anything = fc.oneof(
      text,
      fc.double(),
      fc.anything({ withBigInt: true, withDate: true, withNullPrototype: true }),
    );
    fc.assert(
      fc.property(anything, fc.nat({ max: 1_000 }), (value, min) => {
        try {
          const ms = parse(value, min);
          expect(Number.isSafeInteger(ms)).toBe(true);
          expect(ms).toBeGreaterThanOrEqual(min);
          expect(ms).toBeLessThanOrEqual(LONGEST_DELAY);
        } catch (error) {
          expect(error).toBeInstanceOf(LockOptionsError);
        }
      }),
      { numRuns: 5_000 },
    );
  });
});

function messageOf(run: () => unknown): string {
  try {
    return String(run());
  } catch (error) {
    return (error as Error).message;
  }
}
