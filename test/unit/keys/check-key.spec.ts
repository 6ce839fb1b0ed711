import { describe, expect, it } from 'vitest';
import { checkKey, checkKeys } from '../../../lib/core/keys/check-key.js';
import { lockKeyError } from '../base/lock-error.matcher.js';
import { keyByPosition, SITE } from './key-of.js';

describe('3. a key given as it is', () => {
  it.each(['order:42', ' padded ', '{tag}:x', '名前😀', 'undefined'])('3. %j', (key) => {
    expect(checkKey(key, SITE)).toBe(key);
    expect(checkKeys(key, SITE)).toEqual([key]);
  });

  it.each<[what: string, key: unknown, described: RegExp]>([
    ['an empty string', '', /the key is "":/],
    ['white space', ' \t', /the key is " \\t":/],
    ['half a character', 'a\ud83d', /the key is "a\\ud83d": .* well-formed/],
    ['undefined', undefined, /the key is undefined:/],
    ['null', null, /the key is null:/],
    ['a number', 42, /the key is 42:/],
    ['false', false, /the key is false:/],
    ['a symbol', Symbol('a'), /the key is Symbol\(a\):/],
    ['an object', {}, /the key is an object \(Object\):/],
    ['an object without a prototype', Object.create(null), /the key is an object \(without a class\):/],
    ['a boxed string', Object('order:42'), /the key is an object \(String\):/],
    ['a set of keys', new Set(['a']), /the key is an object \(Set\):/],
    ['a promise of a key', Promise.resolve('a'), /the key is a Promise \(was an `await` forgotten\?\):/],
    ['a function', () => 'a', /the key is a function:/],
  ])('3. never %s, alone or in a list', (_what, key, described) => {
    expect(() => checkKey(key, SITE)).toThrow(lockKeyError(described));
    expect(() => checkKeys(key, SITE)).toThrow(lockKeyError(/^Orders\.ship: the key is /));
    expect(() => checkKeys(['good', key], SITE)).toThrow(lockKeyError(described));
  });

  it('3. never a list inside a list', () => {
    expect(() => checkKeys([['a']], SITE)).toThrow(lockKeyError(/the key is an array:/));
  });
});

describe('several keys', () => {
  it('3. an empty list would lock nothing and is refused (peers.md 5, peers.md 14)', () => {
    expect(() => checkKeys([], SITE)).toThrow(lockKeyError(/^Orders\.ship: the list of keys is empty/));
  });

  it('3. a list with gaps is refused', () => {
    // biome-ignore lint/suspicious/noSparseArray: the point
    expect(() => checkKeys(['a', , 'b'], SITE)).toThrow(lockKeyError(/the key is undefined:/));
    expect(() => checkKeys(new Array(2), SITE)).toThrow(lockKeyError(/the key is undefined:/));
  });

  it('are sorted, so that those who lock several never wait in a circle', () => {
    expect(checkKeys(['b', 'a', 'C', '10', '9', 'ä', '😀'], SITE)).toEqual([
      '10',
      '9',
      'C',
      'a',
      'b',
      'ä',
      '😀',
    ]);
  });

  it('come only once each, so that no call waits for itself', () => {
    expect(checkKeys(['b', 'a', 'b', 'a'], SITE)).toEqual(['a', 'b']);
  });

  it("leave the caller's list as it was", () => {
    const keys = Object.freeze(['b', 'a', 'b']);
    expect(checkKeys(keys, SITE)).toEqual(['a', 'b']);
    expect(keys).toEqual(['b', 'a', 'b']);
  });
});

describe('4. a resolved key has at most 512 bytes', () => {
  it.each<[what: string, key: string]>([
    ['512 letters', 'a'.repeat(512)],
    ['256 letters of two bytes', 'ä'.repeat(256)],
    ['170 letters of three bytes, and two more', `${'名'.repeat(170)}ab`],
    ['128 characters of four bytes', '😀'.repeat(128)],
  ])('4. %s are allowed', (_what, key) => {
    expect(Buffer.byteLength(key)).toBe(512);
    expect(checkKey(key, SITE)).toBe(key);
    expect(keyByPosition('{0}')(key)).toBe(key);
  });

  it.each<[what: string, key: string, bytes: number]>([
    ['513 letters', 'a'.repeat(513), 513],
    ['257 letters of two bytes', 'ä'.repeat(257), 514],
    ['171 letters of three bytes', '名'.repeat(171), 513],
    ['129 characters of four bytes', '😀'.repeat(129), 516],
    ['a very long one', 'a'.repeat(100_000), 100_000],
  ])('4. %s are not', (_what, key, bytes) => {
    const problem = lockKeyError(
      new RegExp(
        `^Orders\\.ship: the key has ${bytes} bytes, 512 are allowed: ".*…"\\. Lock an id or a hash`,
      ),
    );
    expect(() => checkKey(key, SITE)).toThrow(problem);
    expect(() => checkKeys(['a', key], SITE)).toThrow(problem);
    expect(() => keyByPosition('{0}')(key)).toThrow(problem);
    expect(() => keyByPosition(key)).toThrow(problem);
  });

  it('4. the limit is that of the whole key, as it is encoded', () => {
    expect(keyByPosition('k:{0}')('a'.repeat(510))).toHaveLength(512);
    expect(() => keyByPosition('k:{0}')('a'.repeat(511))).toThrow(lockKeyError(/has 513 bytes/));
    expect(() => keyByPosition('{0}')(':'.repeat(171))).toThrow(lockKeyError(/has 513 bytes/));
  });

  it('4. the error carries the key, and its message only the beginning', () => {
    const key = 'a'.repeat(2000);
    const tooLong = expect.objectContaining({ key, message: expect.not.stringContaining('a'.repeat(65)) });
    expect(() => checkKey(key, SITE)).toThrow(tooLong as never);
  });
});
