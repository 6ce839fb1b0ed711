import { describe, expect, it } from 'vitest';
import {
  ACQUIRE_OPTIONS,
  assertKnownOptions,
  METHOD_OPTIONS,
  MODULE_OPTIONS,
  RUN_OPTIONS,
} from '../../../lib/lock.options.js';
import { lockOptionsError } from '../base/lock-error.matcher.js';

const check = (options: unknown) => assertKnownOptions(options as object, METHOD_OPTIONS, 'Orders.ship');
const byName = (names: readonly string[]) => names.toSorted((a, b) => (a < b ? -1 : 1));

describe('known options', () => {
  it('of a method are those of the documentation', () => {
    expect(byName(METHOD_OPTIONS)).toEqual(
      byName([
        'key',
        'ttl',
        'wait',
        'onBusy',
        'onUnavailable',
        'minHold',
        'maxHold',
        'renew',
        'mode',
        'permits',
        'store',
      ]),
    );
  });

  it('of the service are those of a method, with a signal to give up and without what has no meaning there', () => {
    expect(byName(RUN_OPTIONS)).toEqual(
      byName([...METHOD_OPTIONS.filter((name) => name !== 'key'), 'signal']),
    );
    expect(byName([...ACQUIRE_OPTIONS, 'onBusy', 'onUnavailable'])).toEqual(byName(RUN_OPTIONS));
  });

  it('of the module', () => {
    expect(byName(MODULE_OPTIONS)).toEqual([
      'observers',
      'shutdownTimeout',
      'store',
      'storeTimeout',
      'stores',
    ]);
  });

  it('pass, all of them and none', () => {
    expect(() => check({})).not.toThrow();
    expect(() => check(Object.fromEntries(METHOD_OPTIONS.map((name) => [name, undefined])))).not.toThrow();
  });

  it.each(['tll', 'TTL', 'timeout', 'signal', 'constructor', 'toString'])('do not include %s', (name) => {
    expect(() => check({ ttl: 5, [name]: undefined })).toThrow(
      lockOptionsError(
        new RegExp(`^Orders\\.ship: there is no option \`${name}\`; the options are: ttl, .*key\\.`),
      ),
    );
  });

  it.each<[options: unknown, shown: string]>([
    ['order:{id}', "'order:{id}'"],
    [null, 'null'],
    [5_000, '5000'],
    [() => 'order', 'a function'],
    [[], 'an array'],
  ])('come in an object, not as %o', (options, shown) => {
    expect(() => check(options)).toThrow(`Orders.ship: the options are ${shown}: they have to be an object.`);
    expect(() => check(options)).toThrow(lockOptionsError(/./));
  });
});
