import { describe, expect, it } from 'vitest';
import { hashTagOf, RedisKeys } from '../../../../lib/stores/redis/redis-keys.js';
import { lockKeyError } from '../../base/lock-error.matcher.js';

const standalone = new RedisKeys('lock:', '', false);
const cluster = new RedisKeys('lock:', '', true);

describe('hashTagOf', () => {
  it.each([
    ['order:1', 'order:1'],
    ['order:{1}:a', '1'],
    ['{a}{b}', 'a'],
    ['{}order', '{}order'],
    ['{}{a}', '{}{a}'],
    ['order:{1', 'order:{1'],
    ['order:}1{', 'order:}1{'],
    ['}{a}', 'a'],
    ['{{a}}', '{a'],
    ['', ''],
  ])('finds in %j what Redis hashes: %j', (name, tag) => {
    expect(hashTagOf(name)).toBe(tag);
  });
});

describe('RedisKeys', () => {
  it('names the lock as any client would, and everything else after it', () => {
    expect(standalone.of('order:1')).toEqual([
      'lock:order:1',
      '{lock:order:1}:fence',
      '{lock:order:1}:queue',
      '{lock:order:1}:holders',
      '{lock:order:1}:tokens',
    ]);
  });

  it('appends without braces where the key has a hash tag of its own', () => {
    expect(cluster.of('{user:7}:cart')).toEqual([
      'lock:{user:7}:cart',
      'lock:{user:7}:cart:fence',
      'lock:{user:7}:cart:queue',
      'lock:{user:7}:cart:holders',
      'lock:{user:7}:cart:tokens',
    ]);
  });

  it.each([
    ['', ''],
    ['', 'app:'],
    ['lock:', ''],
    ['lock:', 'app:'],
    ['{locks}:', ''],
    ['lock:', '{app}:'],
  ])(
    'keeps all keys in one slot with keyPrefix %j and the prefix %j of the client',
    (prefix, clientPrefix) => {
      for (const isCluster of [false, true]) {
        const keys = new RedisKeys(prefix, clientPrefix, isCluster);
        for (const key of ['order:1', '{user:7}:cart', 'a{b', 'a b|c*?[d]', 'ключ', '{a']) {
          const tags = keys.of(key).map((name) => hashTagOf(clientPrefix + name));
          expect(new Set(tags), key).toEqual(new Set([tags[0]]));
        }
      }
    },
  );

  it('gives no two locks a key in common', () => {
    const keys = [
      'a',
      'a:fence',
      'a:queue',
      '{a}',
      '{a}:b',
      '{a}:fence:b',
      'a{b',
      'a{b:queue',
      '{a',
      'a:fence:queue',
    ];
    for (const prefix of ['lock:', '{locks}:', 'app:{locks}:']) {
      const named = new RedisKeys(prefix, '', false);
      const names = keys.flatMap((key) => {
        try {
          return named.of(key);
        } catch {
          return []; // refused: then it shares nothing
        }
      });
      expect(new Set(names).size).toBe(names.length);
    }
  });

  it.each([':fence', ':queue', ':holders', ':tokens'])('refuses a tagged key that ends with %s', (suffix) => {
    expect(() => standalone.of(`{a}${suffix}`)).toThrow(lockKeyError(/another lock/));
    expect(() => cluster.of(`{a}:b${suffix}`)).toThrow(lockKeyError(/another lock/));
    expect(standalone.of(`a${suffix}`)[0]).toBe(`lock:a${suffix}`);
  });

  it.each(['a}b', 'a{}b', '}', '}{'])(
    'refuses %j in a cluster: its keys would lie in different slots',
    (key) => {
      expect(() => cluster.of(key)).toThrow(lockKeyError(/different slots/));
      expect(standalone.of(key)[0]).toBe(`lock:${key}`);
    },
  );

  it('refuses in a cluster what only the prefix of the client spoils', () => {
    const keys = new RedisKeys('lock:', 'app}', true);
    expect(() => keys.of('a')).toThrow(lockKeyError(/different slots/));
  });

  it('escapes what SCAN would take for a pattern', () => {
    expect(standalone.pattern('')).toBe('lock:*');
    expect(standalone.pattern('a*?[b]\\c')).toBe('lock:a\\*\\?\\[b\\]\\\\c*');
    expect(new RedisKeys('lock:', 'app*', false).pattern('a')).toBe('app\\*lock:a*');
  });

  it.each([
    ['lock:', ''],
    ['', ''],
    ['lock:', 'app:'],
    ['', 'app:'],
    ['lock:', '{app}:'],
  ])(
    'finds the key again with keyPrefix %j and the prefix %j of the client, and no other key',
    (prefix, client) => {
      const keys = new RedisKeys(prefix, client, false);
      for (const key of ['order:1', '{user:7}:cart', ...(client.includes('{') ? [] : ['order:fence'])]) {
        const [lock, ...others] = keys.of(key);
        expect(keys.fromScan(client + lock)).toBe(key);
        for (const other of others) expect(keys.fromScan(client + other), other).toBeUndefined();
      }
    },
  );
});
