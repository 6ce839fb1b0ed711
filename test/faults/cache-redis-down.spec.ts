import { createKeyv } from '@keyv/redis';
import { CacheModule, CacheTTL } from '@nestjs/cache-manager';
import { Controller, Get, UseInterceptors } from '@nestjs/common';
import { describe, expect, it, onTestFinished } from 'vitest';
import { LockModule } from '../../lib/index.js';
import { LockedCache, LockedCacheInterceptor } from '../../lib/integrations/cache/index.js';
import { redisStore } from '../../lib/stores/redis/index.js';
import { bootOn } from '../support/http-platforms.js';
import { RedisServer } from '../support/redis/redis-server.js';

let runs = 0;

@Controller('cats')
@UseInterceptors(LockedCacheInterceptor)
class CatsController {
  @Get()
  @CacheTTL(60_000)
  @LockedCache({ cacheTimeout: '300ms' })
  list(): object {
    runs += 1;
    return { cats: 3 };
  }
}

async function boot(cacheServer: RedisServer, lockServer = cacheServer) {
  runs = 0;
  const { ask, log } = await bootOn('Express', {
    imports: [
      CacheModule.register({ stores: [createKeyv(cacheServer.url)] }),
      LockModule.forRoot({ store: redisStore({ url: lockServer.url }), storeTimeout: '400ms' }),
    ],
    controllers: [CatsController],
  });
  const askCats = async () => {
    const answer = await ask('/cats');
    return [answer.status, answer.headers.get('x-cache'), await answer.json()];
  };
  return { askCats, log };
}

async function startServer(): Promise<RedisServer> {
  const server = await RedisServer.start();
  onTestFinished(() => server.stop());
  return server;
}

const MISS = [200, 'MISS', { cats: 3 }];
const HIT = [200, 'HIT', { cats: 3 }];
/** The time limits of the cache (twice, at first) and of the locks, and what a slow machine needs. */
const SOON = 1_000 + 2_000;

async function within<T>(ms: number, work: () => Promise<T>): Promise<T> {
  const startedAt = performance.now();
  const result = await work();
  expect(performance.now() - startedAt).toBeLessThan(ms);
  return result;
}

describe('requests while Redis', () => {
  it.each<[how: string, begin: (server: RedisServer) => unknown, end: (server: RedisServer) => unknown]>([
    ['is killed', (server) => server.kill(), (server) => server.restart()],
    ['hangs', (server) => server.pause(), (server) => server.resume()],
  ])('%s are served, and cached again afterwards', async (_how, begin, end) => {
    const server = await startServer();
    const { askCats, log } = await boot(server);
    expect(await askCats()).toEqual(MISS);
    expect(await askCats()).toEqual(HIT);
    await begin(server);
    for (const _time of [1, 2]) expect(await within(SOON, askCats)).toEqual(MISS);
    const together = await within(SOON, () => Promise.all(Array.from({ length: 20 }, askCats)));
    expect(together).toEqual(together.map(() => MISS));
    expect(runs).toBeLessThan(10); // those who asked together shared it
    expect(log.of('warn').filter((line) => line.includes('The cache failed'))).toHaveLength(1);
    await end(server);
    await expect.poll(askCats, { timeout: 15_000 }).toEqual(HIT);
  });

  it('of the locks hangs are served after its timeout, and cached', async () => {
    const [cacheServer, lockServer] = await Promise.all([startServer(), startServer()]);
    const { askCats } = await boot(cacheServer, lockServer);
    lockServer.pause();
    expect(await within(SOON, askCats)).toEqual(MISS); // and not after the wait of ten seconds
    expect(await askCats()).toEqual(HIT);
    expect(runs).toBe(1);
    lockServer.resume();
  });

  it('of the cache hangs are served without the locks', async () => {
    const [cacheServer, lockServer] = await Promise.all([startServer(), startServer()]);
    const { askCats } = await boot(cacheServer, lockServer);
    expect(await askCats()).toEqual(MISS);
    cacheServer.pause();
    expect(await within(SOON, askCats)).toEqual(MISS);
    cacheServer.resume();
    await expect.poll(askCats, { timeout: 15_000 }).toEqual(HIT);
  });
});
