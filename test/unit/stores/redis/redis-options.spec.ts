import { Redis } from 'ioredis';
import { afterAll, describe, expect, it } from 'vitest';
import { checkRedisOptions, type RedisStoreOptions } from '../../../../lib/stores/redis/redis.options.js';
import { redisStore } from '../../../../lib/stores/redis/redis.store.js';
import { lockOptionsError } from '../../base/lock-error.matcher.js';

const client = new Redis({ lazyConnect: true });
const url = 'redis://localhost:6379';
afterAll(() => client.disconnect());

function check(options: unknown): void {
  checkRedisOptions(options as RedisStoreOptions);
}

describe('redisStore()', () => {
  it.each<[what: string, options: unknown, problem: RegExp]>([
    ['nothing', undefined, /undefined is given/],
    ['null', null, /null is given/],
    ['an address alone', url, /give an object/],
    ['no source', {}, /given: none/],
    ['only settings', { keyPrefix: 'a:' }, /given: none/],
    ['two sources', { client, url }, /given: client, url/],
    ['three sources', { client, url, options: {} }, /given: client, url, options/],
    ['an unknown option', { url, prefix: 'a:' }, /there is no option `prefix`/],
    ['a keyPrefix that is no string', { url, keyPrefix: 1 }, /`keyPrefix` has to be a string/],
    ['a negative minReplicas', { url, minReplicas: -1 }, /`minReplicas` is -1/],
    ['half a replica', { url, minReplicas: 0.5 }, /`minReplicas` is 0\.5/],
    ['minReplicas as text', { url, minReplicas: '1' }, /`minReplicas` is 1/],
    ['endless minReplicas', { url, minReplicas: Number.POSITIVE_INFINITY }, /`minReplicas` is Infinity/],
    ['an onWarning that is no function', { url, onWarning: 'warn' }, /`onWarning` has to be a function/],
    ['a url from a variable that is not set', { url: undefined }, /`url` is undefined/],
    ['an empty url', { url: '' }, /`url` is ''/],
    ['a URL object', { url: new URL(url) }, /`url` is an object \(URL\)/],
    ['options that are missing', { options: undefined }, /`options` is undefined/],
    ['options that are null', { options: null }, /`options` is null/],
    ['options that are a port', { options: 6379 }, /`options` is 6379/],
    ['a client that is missing', { client: undefined }, /no ioredis client/],
    ['a client that is null', { client: null }, /no ioredis client/],
    ['a client of another library', { client: { eval: () => {} } }, /no ioredis client/],
  ])('refuses %s', (_what, options, problem) => {
    expect(() => check(options)).toThrow(lockOptionsError(problem));
    expect(() => redisStore(options as RedisStoreOptions)).toThrow(lockOptionsError(/redisStore\(\)/));
  });

  it.each<[what: string, options: RedisStoreOptions]>([
    ['a client', { client }],
    ['a url', { url }],
    ['options', { options: { host: 'localhost' } }],
    ['settings left undefined', { url, keyPrefix: undefined, minReplicas: undefined, onWarning: undefined }],
    ['every setting', { url, keyPrefix: '', minReplicas: 0, onWarning: () => {} }],
  ])('takes %s', (_what, options) => {
    expect(() => check(options)).not.toThrow();
  });

  it('connects to nothing until it is used', async () => {
    const store = redisStore({ client });
    expect(client.status).toBe('wait');
    await store.close();
    expect(client.status).toBe('wait');
  });
});
