import fc from 'fast-check';
import { expect, it } from 'vitest';
import { show } from '../../../lib/base/show.js';

it.each<[value: unknown, shown: string]>([
  ['10 sec', "'10 sec'"],
  ['', "''"],
  [5, '5'],
  [5n, '5'],
  [Number.NaN, 'NaN'],
  [undefined, 'undefined'],
  [null, 'null'],
  [Symbol('a'), 'Symbol(a)'],
  [['a'], 'an array'],
  [() => 'secret', 'a function'],
  [{}, 'an object (Object)'],
  [new (class Order {})(), 'an object (Order)'],
  [Object.create(null), 'an object (without a class)'],
  [{ constructor: { name: Symbol('x') } }, 'an object (without a class)'],
  [Promise.resolve(), 'a Promise (was an `await` forgotten?)'],
])('shows %o as %s', (value, shown) => {
  expect(show(value)).toBe(shown);
});

it('never throws, and never shows [object …]', () => {
  const anything = fc.anything({ withBigInt: true, withDate: true, withNullPrototype: true, withMap: true });
  fc.assert(
    fc.property(anything, (value) => {
      const shown = show(value);
      if (typeof value === 'object') expect(shown).not.toContain('[object');
    }),
  );
});
