import { Injectable } from '@nestjs/common';
import { Cluster, Redis } from 'ioredis';
import { describe, expect, it, onTestFinished } from 'vitest';
import { DistributedLock, LockModule, LockOptionsError } from '../../lib/index.js';
import { type RedlockStoreOptions, redlockStore } from '../../lib/stores/redlock/index.js';
import { bootModule } from '../support/boot-app.js';
import { errorOf } from '../support/deferred.js';
import { locksOf } from '../support/redis/locks.js';

/** Never connected: nothing here needs a server. */
function clients(count: number): Redis[] {
  const made = Array.from({ length: count }, () => new Redis({ lazyConnect: true }));
  onTestFinished(() => {
    for (const client of made) client.disconnect();
  });
  return made;
}

/** What it says when it is constructed so. */
function refusalOf(options: unknown): string {
  try {
    redlockStore(options as RedlockStoreOptions);
  } catch (error) {
    expect(error).toBeInstanceOf(LockOptionsError);
    expect(error).toMatchObject({ code: 'LOCK_OPTIONS' });
    return (error as Error).message;
  }
  throw new Error('it was not refused');
}

describe('redlockStore() refuses', () => {
  it.each([
    [undefined, /redlockStore\(\): undefined is given: give an object with `clients`/],
    [{}, /`clients` is undefined: give an array of ioredis clients/],
    [{ clients: 'redis://localhost' }, /`clients` is 'redis:\/\/localhost': give an array/],
  ])('%o', (options, message) => {
    expect(refusalOf(options)).toMatch(message);
  });

  it.each([0, 1, 2])('%i clients, and says what to do with so few', (count) => {
    expect(refusalOf({ clients: clients(count) })).toMatch(
      new RegExp(`redlockStore\\(\\): ${count} client\\(s\\) are given: give at least 3.*redisStore\\(\\)`),
    );
  });

  it('a client of a cluster', () => {
    const cluster = new Cluster([{ host: '127.0.0.1', port: 1 }], { lazyConnect: true });
    onTestFinished(() => cluster.disconnect());
    expect(refusalOf({ clients: [...clients(2), cluster] })).toMatch(
      /client 3 is .*: give an ioredis `Redis`/,
    );
  });

  it.each([[null], ['redis://localhost'], [{ url: 'redis://localhost' }]])('%o as a client', (client) => {
    expect(refusalOf({ clients: [client, ...clients(2)] })).toMatch(
      /client 1 is .*: give an ioredis `Redis`/,
    );
  });

  it('the same client twice', () => {
    const [first, second, third] = clients(3);
    expect(refusalOf({ clients: [first, second, third, second] })).toMatch(
      /client 2 and client 4 are the same: one server has one vote/,
    );
  });

  it('an option that there is not, and names those that there are', () => {
    expect(refusalOf({ clients: clients(3), retryCount: 3 })).toMatch(
      /there is no option `retryCount`; the options are: clients, keyPrefix, nodeTimeout/,
    );
  });

  it.each([0, -1, Number.NaN, '5', '5 ms', '2w', true])('nodeTimeout: %o', (nodeTimeout) => {
    expect(refusalOf({ clients: clients(3), nodeTimeout })).toMatch(/redlockStore\(\): .*nodeTimeout/);
  });

  it.each([{ keyPrefix: 5 }, { onWarning: 'console' }])('%o', (options) => {
    const [name] = Object.keys(options);
    expect(refusalOf({ clients: clients(3), ...options })).toContain(`\`${name}\` has to be`);
  });
});

describe('a key', () => {
  it('that would be that of another lock is an error of its own, and no node is asked', async () => {
    const asked = clients(3);
    const { locks } = locksOf(redlockStore({ clients: asked }), 500);
    for (const acquire of [locks.acquire('{a}:fence'), locks.tryAcquire('{a}:fence')]) {
      expect(await errorOf(acquire)).toMatchObject({ code: 'LOCK_KEY', key: '{a}:fence' });
    }
    expect(asked.map(({ status }) => status)).toEqual(['wait', 'wait', 'wait']);
  });
});

describe('redlockStore() warns', () => {
  const warningsWith = (count: number) => {
    const warnings: string[] = [];
    redlockStore({ clients: clients(count), onWarning: (message) => warnings.push(message) });
    return warnings;
  };

  it('once of an even number of clients', () => {
    expect(warningsWith(4)).toEqual([
      expect.stringMatching(/4 clients are given.*than of 3: give an odd number/),
    ]);
    expect(warningsWith(6)).toHaveLength(1);
  });

  it('of nothing else', () => {
    expect(warningsWith(3)).toEqual([]);
    expect(warningsWith(5)).toEqual([]);
  });
});

describe('an application does not start with what a majority of nodes cannot do', () => {
  @Injectable()
  class Pool {
    @DistributedLock({ permits: 2 })
    async use(): Promise<void> {}
  }

  @Injectable()
  class Reader {
    @DistributedLock({ mode: 'shared' })
    async read(): Promise<void> {}
  }

  it.each([
    [Pool, /Pool\.use: the redlock store cannot do `permits`/],
    [Reader, /Reader\.read: the redlock store cannot do `mode: 'shared'`/],
  ])('%o', async (type, message) => {
    const locks = LockModule.forRoot({ store: redlockStore({ clients: clients(3) }) });
    const error = await errorOf(bootModule({ imports: [locks], providers: [type] }));
    expect(error).toBeInstanceOf(LockOptionsError);
    expect(String(error)).toMatch(message);
  });
});
