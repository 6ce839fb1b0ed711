import { createKeyv } from '@keyv/redis';
import { CACHE_MANAGER, type Cache, CacheModule } from '@nestjs/cache-manager';
import { Injectable } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { afterAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { LockModule, LockService, memoryStore } from '../../lib/index.js';
import { StampedeGuard } from '../../lib/integrations/cache/index.js';
import { redisStore } from '../../lib/stores/redis/index.js';
import { bootModule } from '../support/boot-app.js';
import { deferred } from '../support/deferred.js';
import { EventLog } from '../support/event-log.js';
import { RedisServer } from '../support/redis/redis-server.js';
import { until } from '../support/redis/until.js';

const server = await RedisServer.start();
const raw = server.client();
afterAll(() => server.stop());
beforeEach(() => raw.flushall());

/** A loader that the test ends. */
const database = { reads: 0, reading: deferred(), found: deferred<object>() };
beforeEach(() => Object.assign(database, { reads: 0, reading: deferred(), found: deferred<object>() }));

@Injectable()
class CatService {
  constructor(private readonly guard: StampedeGuard) {}

  find(id: string, options: object = {}): Promise<object> {
    const read = () => {
      database.reads += 1;
      database.reading.resolve();
      return database.found.promise;
    };
    return this.guard.getOrLoad(`cat:${id}`, read, { ttl: '1m', ...options });
  }
}

/** An application with its cache and its locks in Redis. */
async function boot() {
  const log = new EventLog();
  const app = await Test.createTestingModule({
    imports: [
      CacheModule.register({ stores: [createKeyv(server.url)] }),
      LockModule.forRoot({ store: redisStore({ url: server.url }), observers: [log], shutdownTimeout: 0 }),
    ],
    providers: [StampedeGuard, CatService],
  }).compile();
  onTestFinished(() => app.close());
  await app.init();
  return { app, log, cats: app.get(CatService), cache: app.get<Cache>(CACHE_MANAGER) };
}

/** Of everyone but the test itself. */
async function connections(): Promise<number> {
  return (
    String(await raw.client('LIST'))
      .trim()
      .split('\n').length - 1
  );
}

describe('StampedeGuard', () => {
  it('is a provider like any other, on whatever cache and locks its module sees', async () => {
    const app = await bootModule({
      imports: [CacheModule.register(), LockModule.forRoot({ store: memoryStore() })],
      providers: [StampedeGuard, CatService],
    });
    database.found.resolve({ name: 'Tom' });
    expect(await app.get(CatService).find('1')).toEqual({ name: 'Tom' });
    expect(await app.get<Cache>(CACHE_MANAGER).get('cat:1')).toEqual({ name: 'Tom' });
    expect(await app.get(CatService).find('1')).toEqual({ name: 'Tom' });
    expect(database.reads).toBe(1);
  });

  it('has one of two applications load; the other waits and reads', async () => {
    const [one, other] = await Promise.all([boot(), boot()]);
    const first = one.cats.find('1');
    await database.reading.promise;
    const second = other.cats.find('1');
    await other.log.seen('onWaiting');
    database.found.resolve({ name: 'Tom' });
    expect(await Promise.all([first, second])).toEqual([{ name: 'Tom' }, { name: 'Tom' }]);
    expect(database.reads).toBe(1);
    await until('nobody holds the lock', async () => (await raw.exists('lock:cache:cat:1')) === 0);
  });

  it('keeps values as any other user of the cache would, for the ttl in milliseconds', async () => {
    const { cats, cache } = await boot();
    database.found.resolve({ name: 'Tom' });
    await cats.find('1');
    expect(await cache.get('cat:1')).toEqual({ name: 'Tom' });
    const left = await raw.pttl('cat:1');
    expect(left).toBeGreaterThan(30_000);
    expect(left).toBeLessThanOrEqual(60_000);
    expect(await raw.keys('*cat:1')).toEqual(expect.arrayContaining(['cat:1']));
    await cache.del('cat:1');
    await cats.find('1');
    expect(database.reads).toBe(2);
    await cache.set('cat:1', { name: 'Tim' });
    expect(await cats.find('1')).toEqual({ name: 'Tim' });
  });

  it('gives a stale value from Redis while one application loads the new one', async () => {
    const [one, other] = await Promise.all([boot(), boot()]);
    const stale = { ttl: 1, staleFor: '1m' };
    database.found.resolve({ name: 'Tom' });
    await one.cats.find('1', stale);
    expect(await raw.pttl('cat:1')).toBeGreaterThan(30_000);
    Object.assign(database, { reading: deferred(), found: deferred<object>() });
    await until('it is stale', async () => {
      expect(await one.cats.find('1', stale)).toEqual({ name: 'Tom' });
      expect(await other.cats.find('1', stale)).toEqual({ name: 'Tom' });
      return database.reads > 1;
    });
    database.found.resolve({ name: 'Tim' });
    await until('the new one is read', async () => {
      const found = await other.cats.find('1', { ...stale, ttl: '1m' });
      return JSON.stringify(found) === '{"name":"Tim"}';
    });
  });

  it('leaves a cache alone that was closed with its application: it would connect again', async () => {
    const { app, cats } = await boot();
    database.found.resolve({ name: 'Tom' });
    await cats.find('1');
    expect(await connections()).toBe(2);
    await app.close();
    await expect.poll(connections).toBe(0);
    expect(await cats.find('2')).toEqual({ name: 'Tom' });
    expect(await connections()).toBe(0);
    expect(await raw.exists('cat:2')).toBe(0);
  });

  it('releases its lock before others would have to wait for its end', async () => {
    const { app, cats } = await boot();
    database.found.resolve({ name: 'Tom' });
    await cats.find('1');
    await until(
      'it is free',
      async () => (await app.get(LockService).inspect('cache:cat:1')) === null,
      3_000,
    );
  });
});
