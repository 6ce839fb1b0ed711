import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { lockKeyError } from '../base/lock-error.matcher.js';
import { keyOf, type Method } from './key-of.js';

const ship: Method = (id: unknown) => id;
const order = keyOf('order:{id}', ship);

class ObjectId {
  readonly #hex: string;
  constructor(hex: string) {
    this.#hex = hex;
  }
  toString(): string {
    return this.#hex;
  }
}

describe('3. what can stand in a key', () => {
  it.each<[what: string, value: unknown, text: string]>([
    ['a string', 'a1', 'a1'],
    ['a string of digits', '007', '007'],
    ["the string 'undefined', which somebody wrote", 'undefined', 'undefined'],
    ['a string in any script', 'größe名前😀', 'größe名前😀'],
    ['a number', 42, '42'],
    ['zero', 0, '0'],
    ['a negative fraction', -1.5, '-1.5'],
    ['a large number', 1e21, '1e+21'],
    ['a bigint', 9007199254740993n, '9007199254740993'],
    ['true', true, 'true'],
    ['false', false, 'false'],
    ['a Date, to the millisecond', new Date(1700000000123), '2023-11-14T22%3A13%3A20.123Z'],
    ['a Date of another realm (Jest)', runInNewContext('new Date(5)'), '1970-01-01T00%3A00%3A00.005Z'],
    ['an object with a toString of its class', new ObjectId('507f1f77'), '507f1f77'],
    ['an object that inherits such a toString', new (class extends ObjectId {})('507f1f77'), '507f1f77'],
    ['an object with a toString of its own', { toString: () => 'own' }, 'own'],
    ['a URL', new URL('a:b'), 'a%3Ab'],
  ])('3. %s', (_what, value, text) => {
    expect(order(value)).toBe(`order:${text}`);
  });
});

describe('3. what cannot: never order:undefined (peers.md 14), never [object Object] (peers.md 18)', () => {
  it.each<[what: string, value: unknown, described: RegExp]>([
    ['undefined', undefined, /is undefined:/],
    ['null', null, /is null:/],
    ['an empty string', '', /is an empty string:/],
    ['NaN', Number.NaN, /is NaN:/],
    ['Infinity', Number.POSITIVE_INFINITY, /is Infinity:/],
    ['-Infinity', Number.NEGATIVE_INFINITY, /is -Infinity:/],
    ['a plain object', { id: 1 }, /is an object \(Object\):/],
    ['a plain object of another realm (Jest)', runInNewContext('({ id: 1 })'), /is an object \(Object\):/],
    ['an object without a prototype', Object.create(null), /is an object \(without a class\):/],
    ['an object of a class', new (class Order {})(), /is an object \(Order\):/],
    ['a tagged object', { [Symbol.toStringTag]: 'Order' }, /is an object/],
    ['an object whose toString gives no string', { toString: () => 5 }, /is an object/],
    ['an object whose toString gives nothing', { toString: () => '' }, /is an object/],
    ['an object whose toString is no function', { toString: 'x' }, /is an object/],
    ['an array', ['a'], /is an array:/],
    ['an empty array', [], /is an array:/],
    ['an array of another realm', runInNewContext('["a"]'), /is an array:/],
    ['a Buffer', Buffer.from('a'), /is an object \(Buffer\):/],
    ['a typed array', new Uint8Array([1]), /is an object \(Uint8Array\):/],
    ['an ArrayBuffer', new ArrayBuffer(1), /is an object \(ArrayBuffer\):/],
    ['a Map', new Map([['a', 1]]), /is an object \(Map\):/],
    ['a Set', new Set(['a']), /is an object \(Set\):/],
    ['a Promise', Promise.resolve('a'), /is a Promise \(was an `await` forgotten\?\):/],
    ['a symbol', Symbol('a'), /is Symbol\(a\):/],
    ['a function', () => 'a', /is a function:/],
    ['a class', ObjectId, /is a function:/],
    ['an invalid Date', new Date('never'), /is an invalid Date:/],
    ['an invalid Date of another realm', runInNewContext('new Date(NaN)'), /is an invalid Date:/],
    ['a string that begins with half a character', '\ude00a', /is a string with broken characters:/],
    ['a string that ends with half a character', 'a\ud83d', /is a string with broken characters:/],
    ['an object whose text has half a character', new ObjectId('\ud83d'), /is an object \(ObjectId\):/],
  ])('3. %s', (_what, value, described) => {
    expect(() => order(value)).toThrow(lockKeyError(described));
    expect(() => order(value)).toThrow(lockKeyError(/^Orders\.ship: \{id\} of the key 'order:\{id\}' is /));
  });

  it('3. a call without the argument', () => {
    expect(() => order()).toThrow(lockKeyError(/is undefined:/));
  });

  it.each<[what: string, template: string, args: unknown[], described: RegExp]>([
    ['a path into undefined', '{id.number}', [], /\{id\.number\} .* is undefined:/],
    ['a path into null', '{id.number}', [null], /\{id\.number\} .* is null:/],
    ['a path that ends early', '{id.a.b.c}', [{ a: {} }], /\{id\.a\.b\.c\} .* is undefined:/],
    ['a path to a method', '{id.toString}', [{}], /is a function:/],
    ['a path to a prototype', '{id.__proto__}', [{}], /is an object/],
    ['one bad value among good ones', '{0}:{0.x}', ['a'], /\{0\.x\} .* is undefined:/],
  ])('3. %s', (_what, template, args, described) => {
    expect(() => keyOf(template, ship)(...args)).toThrow(lockKeyError(described));
  });

  it('3. says what a key can be made of', () => {
    expect(() => order({})).toThrow(
      lockKeyError(
        /a non-empty string, a number, a bigint, a boolean, a Date or an object with its own toString\(\)/,
      ),
    );
  });
});

describe('4. reserved characters inside a value are percent-encoded', () => {
  it.each<[what: string, value: unknown, encoded: string]>([
    ['colon', 'a:b', 'a%3Ab'],
    ['braces', '{a}', '%7Ba%7D'],
    ['angles', '<a>', '%3Ca%3E'],
    ['percent', '100%', '100%25'],
    ['what looks encoded', '%3A', '%253A'],
    ['space', ' a b ', '%20a%20b%20'],
    ['only a space', ' ', '%20'],
    ['tab and line ends', '\t\r\n', '%09%0D%0A'],
    ['no-break and ideographic space', '\u00a0\u3000', '%C2%A0%E3%80%80'],
    ['line separator and byte order mark', '\u2028\ufeff', '%E2%80%A8%EF%BB%BF'],
    ['NUL and DEL', '\0\x7f', '%00%7F'],
    ['C1 control', '\x85\x9f', '%C2%85%C2%9F'],
    ['every one of several', '::', '%3A%3A'],
    ['in the text of an object', new ObjectId('a:b'), 'a%3Ab'],
    ['nothing else', `-_.~!*'();/?@&=+$,#[]|^\\"\``, `-_.~!*'();/?@&=+$,#[]|^\\"\``],
  ])('4. %s', (_what, value, encoded) => {
    expect(order(value)).toBe(`order:${encoded}`);
  });

  it("4. so that a caller's input cannot reach another template's key", () => {
    const line = keyOf('order:{0}:line:{1}', (a: unknown, b: unknown) => [a, b]);
    expect(order('1:line:2')).not.toBe(line('1', '2'));
  });

  it('4. the text of the template itself stays as it is', () => {
    expect(keyOf('a b%:<{id}', ship)('x')).toBe('a b%:<x');
  });
});
