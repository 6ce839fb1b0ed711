import { Cron, Interval } from '@nestjs/schedule';
import { describe, expect, it } from 'vitest';
import { lockedMethodsOf } from '../../../lib/decorators/locked-method.js';
import { LockedCron, LockedInterval } from '../../../lib/integrations/schedule/index.js';
import { lockKeyError, lockOptionsError } from '../base/lock-error.matcher.js';

/** The decorators without the types that keep them off what they cannot work on. */
type Unchecked = (...args: unknown[]) => MethodDecorator & PropertyDecorator;
const AnyCron = LockedCron as unknown as Unchecked;
const AnyInterval = LockedInterval as unknown as Unchecked;

/** Defines a class with a method `Reports.run` under a decorator. */
function define(decorator: MethodDecorator) {
  class Reports {
    @decorator
    async run(): Promise<void> {}
  }
  return Reports;
}

const cron = (options?: unknown) => define(AnyCron('0 3 * * *', options));

describe('options are checked when the class is defined', () => {
  it.each<[what: string, options: unknown, problem: RegExp]>([
    [
      'one that does not exist',
      { tll: 5 },
      /no option `tll`; the options are: key, ttl, .*minHold, name, timeZone/,
    ],
    ['one of other locks', { permits: 2 }, /no option `permits`/],
    ['no object', 5, /the options are 5/],
    ['a ttl that is no duration', { ttl: '10 sec' }, /`ttl` '10 sec' is no duration/],
    ['a ttl that is too short', { ttl: 9 }, /`ttl` 9 is too short/],
    ['a minHold of nothing', { minHold: 0 }, /`minHold` 0 is too short/],
    ['a minHold that is no duration', { minHold: 'long' }, /`minHold` 'long' is no duration/],
    ['a maxHold below the ttl', { ttl: '5s', maxHold: '1s' }, /`maxHold` \(1000 ms\) is shorter than `ttl`/],
    ['a maxHold below any ttl', { maxHold: 5 }, /`maxHold` \(5 ms\) is shorter/],
    ['an overlap', { onOverlap: 'queue' }, /`onOverlap` is 'queue': it has to be 'skip' or 'wait'/],
    ['an onUnavailable', { onUnavailable: 'skip' }, /`onUnavailable` is 'skip'/],
    ['a time zone', { timeZone: 'Berlin' }, /'0 3 \* \* \*' \(Berlin\) is no time .*: Invalid timezone/],
  ])('%s', (_what, options, problem) => {
    expect(() => cron(options)).toThrow(lockOptionsError(problem));
    expect(() => cron(options)).toThrow(/^Reports\.run: /);
  });

  it.each<[what: string, key: unknown, problem: RegExp]>([
    ['an empty one', '', /non-empty/],
    ['a function', () => 'key', /the key is a function/],
    ['one that leaves no room for the tick', 'k'.repeat(500), /has 525 bytes/],
  ])('a key: %s', (_what, key, problem) => {
    expect(() => cron({ key })).toThrow(lockKeyError(problem));
    expect(() => cron({ key })).toThrow(/^Reports\.run: /);
  });

  it('an interval, and options that only @LockedCron() has', () => {
    expect(() => define(AnyInterval('soon'))).toThrow(
      lockOptionsError(/^Reports\.run: `interval` 'soon' is no dur/),
    );
    expect(() => define(AnyInterval(0))).toThrow(lockOptionsError(/`interval` 0 is too short/));
    expect(() => define(AnyInterval(5, { minHold: 5 }))).toThrow(lockOptionsError(/no option `minHold`/));
    expect(() => define(AnyInterval(5, { timeZone: 'UTC' }))).toThrow(
      lockOptionsError(/no option `timeZone`/),
    );
  });

  it('a time that is none', () => {
    expect(() => define(AnyCron('never'))).toThrow(lockOptionsError(/^Reports\.run: 'never' is no time/));
  });

  it('and what is right passes, with all options of Nest', () => {
    cron({
      key: 'reports',
      ttl: '1m',
      minHold: '1h',
      maxHold: '2h',
      onOverlap: 'wait',
      onUnavailable: 'run',
      store: 'billing',
      name: 'reports',
      timeZone: 'Europe/Berlin',
      unrefTimeout: true,
      waitForCompletion: true,
      disabled: true,
      threshold: 100,
      initialDelay: 100,
    });
    cron({ utcOffset: 60 });
    cron();
    define(AnyInterval('5s', { name: 'poll', key: 'poll', ttl: '1s' }));
  });
});

describe('what cannot be a job is refused', () => {
  it('a property', () => {
    expect(() => {
      class _Reports {
        @AnyCron('0 3 * * *')
        run = 5;
      }
    }).toThrow(lockOptionsError(/^_Reports\.run: @LockedCron\(\) goes on a method, not on a property/));
  });

  it('a getter', () => {
    expect(() => {
      class _Reports {
        @AnyInterval(5)
        get run() {
          return 5;
        }
      }
    }).toThrow(lockOptionsError(/^_Reports\.run: @LockedInterval\(\) goes on a method, not on a .* getter/));
  });

  it('a static method', () => {
    expect(() => {
      class _Reports {
        @AnyCron('0 3 * * *')
        static async run() {}

        async other() {}
      }
    }).toThrow(lockOptionsError(/^_Reports\.run: @LockedCron\(\) cannot go on a static method/));
  });

  it('a method that is named by a symbol, which Nest does not find', () => {
    const name = Symbol('run');
    expect(() => {
      class _Reports {
        @AnyCron('0 3 * * *')
        async [name]() {}
      }
    }).toThrow(
      lockOptionsError(/_Reports\.Symbol\(run\): @LockedCron\(\) cannot go on a method named by a symbol/),
    );
  });

  it.each<[what: string, below: MethodDecorator]>([
    ['@LockedCron()', AnyCron('0 4 * * *')],
    ['@LockedInterval()', AnyInterval(5)],
    ['@Cron()', Cron('0 4 * * *')],
    ['@Interval()', Interval(5)],
  ])('a method with a second schedule: %s', (_what, below) => {
    expect(() => {
      class _Reports {
        @AnyCron('0 3 * * *')
        @below
        async run() {}
      }
    }).toThrow(
      lockOptionsError(/_Reports\.run: @LockedCron\(\) is the second schedule .* Nest keeps only one/),
    );
  });

  it('a class without a name, unless there is a key', () => {
    const anonymous = (options?: object) => () =>
      AnyCron('0 3 * * *', options)((() => class {})().prototype, 'run', { value: async () => {} });
    expect(anonymous()).toThrow(lockKeyError(/^\(anonymous class\)\.run: the class has no name/));
    anonymous({ key: 'reports' })();
  });

  it('a call without decorators, as with those of the standard', () => {
    const decorate = AnyCron('0 3 * * *') as unknown as (...args: unknown[]) => unknown;
    expect(() => decorate(async () => {}, { kind: 'method', name: 'run' })).toThrow(
      lockOptionsError(/@LockedCron\(\) needs "experimentalDecorators": true/),
    );
  });
});

describe('the key', () => {
  const keysOf = (metatype: { prototype: object }) =>
    lockedMethodsOf(metatype).flatMap((method) => method.keysOf(metatype.prototype, []));

  it('is that of the class that Nest makes, also where it inherits the job', () => {
    const Reports = cron();
    class Yearly extends Reports {}
    expect(keysOf(Reports)).toEqual(['Reports.run']);
    expect(keysOf(Yearly)).toEqual(['Yearly.run']);
  });

  it('is taken as it is where one is given', () => {
    expect(keysOf(cron({ key: '{reports}:{id}' }))).toEqual(['{reports}:{id}']);
  });
});
