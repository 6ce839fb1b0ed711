import { describe, expect, it } from 'vitest';
import { lockKeyError } from '../base/lock-error.matcher.js';
import { keyByPosition, keyOf, type Method } from './key-of.js';

const ship: Method = (id: string, order: object) => [id, order];

describe('1. placeholders', () => {
  it('1. {id} is the parameter of that name', () => {
    expect(keyOf('order:{id}', ship)('42')).toBe('order:42');
  });

  it('1. a name is found wherever it stands in the parameter list', () => {
    expect(keyOf('{order}', ship)('first', 'second')).toBe('second');
  });

  it('1. {order.id} is a path into a parameter', () => {
    expect(keyOf('order:{order.id}', ship)('', { id: 7 })).toBe('order:7');
  });

  it('1. a path may be as deep as it likes, and pass through arrays', () => {
    const order = { lines: [{ sku: { code: 'a1' } }] };
    expect(keyOf('sku:{order.lines.0.sku.code}', ship)('', order)).toBe('sku:a1');
  });

  it('1. a path reads getters and what a class inherits', () => {
    class Entity {
      get id(): string {
        return 'inherited';
      }
    }
    expect(keyOf('{order.id}', ship)('', new (class extends Entity {})())).toBe('inherited');
  });

  it('1. {0} and {0.id} are the same by position', () => {
    expect(keyOf('order:{0}:{1.id}', ship)('42', { id: 7 })).toBe('order:42:7');
  });

  it('1. names and positions mix, and each may come twice', () => {
    expect(keyOf('{id}:{0}:{order.id}:{id}', ship)('42', { id: 7 })).toBe('42:42:7:42');
  });

  it('1. a position needs no names: native and bound functions have them too', () => {
    expect(keyOf('max:{0}:{1}', Math.max)(1, 2)).toBe('max:1:2');
    expect(keyOf('order:{0}', ship.bind(undefined))('42')).toBe('order:42');
  });

  it('1. text without placeholders is the key, whatever the arguments', () => {
    expect(keyOf('nightly report', ship)('42')).toBe('nightly report');
    expect(keyOf('nightly report', ship)()).toBe('nightly report');
  });
});

describe('1. literal braces', () => {
  it.each([
    ['{{', '{'],
    ['}}', '}'],
    ['{{id}}', '{id}'],
    ['a{{b}}c', 'a{b}c'],
    ['{{{{', '{{'],
    ['{{{id}}}', '{42}'],
    ['{{user:{id}}}:cart', '{user:42}:cart'],
    ['{id}}}', '42}'],
    ['{{{id}', '{42'],
  ])('1. %s gives %s', (template, key) => {
    expect(keyOf(template, ship)('42')).toBe(key);
  });

  it.each([
    ['order:{', '{'],
    ['order:}', '}'],
    ['order:{id', '{'],
    ['order:id}', '}'],
    ['order:{id}}', '}'],
    ['{a{id}', '{'],
    ['{{id}', '}'],
    ['{{{', '{'],
  ])('1. a lone brace is refused, and how to write it is said: %s', (template, brace) => {
    expect(() => keyOf(template, ship)).toThrow(
      lockKeyError(new RegExp(`^Orders\\.ship: .* has a lone '${brace}': write '${brace}${brace}'`)),
    );
  });
});

describe('1. the <id> form', () => {
  it.each([
    ['order:<id>', 'order:42'],
    ['order:<0>:<order.id>', 'order:42:7'],
    ['{user:<id>}:cart', '{user:42}:cart'],
    ['{<id>}', '{42}'],
    ['{id}:<id>', '{id}:42'],
    ['{{<id>}}', '{{42}}'],
    ['{:<id>', '{:42'],
    ['<<id>>', '<42>'],
    ['a>b:<id>', 'a>b:42'],
  ])('1. %s gives %s: braces stay as they are (a Redis hash tag)', (template, key) => {
    expect(keyOf(template, ship)('42', { id: 7 })).toBe(key);
  });

  it.each([
    ['a<b:{id}', 'a<b:42'],
    ['a>b:{id}', 'a>b:42'],
    ['>{id}<', '>42<'],
  ])('1. a lone angle is text and changes nothing: %s', (template, key) => {
    expect(keyOf(template, ship)('42')).toBe(key);
  });

  it('1. a value cannot close the hash tag that it stands in', () => {
    expect(keyOf('{<id>}:cart', ship)('a}b{c')).toBe('{a%7Db%7Bc}:cart');
  });
});

describe('1. placeholders that name nothing', () => {
  it.each(['order:{}', '{.}', '{.id}', '{id.}', '{order..id}', '{0.}', '<>', 'order:<>:{id}'])(
    '1. %s is refused',
    (template) => {
      expect(() => keyOf(template, ship)).toThrow(lockKeyError(/^Orders\.ship: .*that names nothing/));
    },
  );

  it.each(['', ' ', '\t\n'])('1. an empty template (%j) is refused', (template) => {
    expect(() => keyOf(template, ship)).toThrow(lockKeyError(/^Orders\.ship: the key is .* non-empty/));
  });

  it('1. a template with half a character is refused', () => {
    expect(() => keyOf('order:\ud83d', ship)).toThrow(lockKeyError(/well-formed/));
  });
});

describe('1. templates that could give one key for different arguments', () => {
  it.each([
    '{0}{1}',
    '<0><1>',
    '{0}x{1}',
    '{0}and{1}',
    '{0}7{1}',
    '{0}%{1}',
    '{0}%3A{1}',
    '{0}:{1}{2}',
    'a:{0}{1}:b',
  ])('1. %s is refused, and the way out is said', (template) => {
    expect(() => keyByPosition(template)).toThrow(
      lockKeyError(/^Orders\.ship: nothing in the key '.*' separates \{\d\} .*put a ':' between/),
    );
  });

  it.each([
    ['{0}-{1}', ['1-2', '3'], '1%2D2-3'],
    ['{0}-{1}', ['1', '2-3'], '1-2%2D3'],
    ['{0}.{1}', ['a.b', 'c'], 'a%2Eb.c'],
    ['{0}, {1}', ['a,', 'b'], 'a%2C, b'],
    ['{0}and/or{1}', ['a/b', 'c'], 'a%2Fband/orc'],
    ['{0}_{1}|{2}', ['_', '|', '_|'], '%5F_%7C|%5F%7C'],
    ['{0}😀{1}', ['a😀', 'b'], 'a%F0%9F%98%80😀b'],
    ['{0}^{1}', ['^', ']'], '%5E^]'],
    ['{0}]{1}', [']', '^'], '%5D]^'],
    ['{0}\\{1}', ['\\', 's'], '%5C\\s'],
  ])('1. what separates two values cannot come out of a value: %s of %j is %s', (template, args, key) => {
    expect(keyByPosition(template)(...args)).toBe(key);
  });

  it('1. what does not separate values stays readable', () => {
    expect(keyByPosition('order-{0}')('2024-11')).toBe('order-2024-11');
    expect(keyByPosition('{0}:{1}')('a-b', 'c.d')).toBe('a-b:c.d');
  });
});

it('1. arguments that the template does not name play no part (peers.md 18)', () => {
  expect(keyOf('order:{id}', ship)('42', { any: 'thing' }, undefined, null)).toBe('order:42');
});
