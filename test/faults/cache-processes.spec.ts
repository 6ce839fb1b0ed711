import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { CacheProcess } from '../support/cache-process.js';
import { errorOf } from '../support/deferred.js';
import { RedisServer } from '../support/redis/redis-server.js';

const server = await RedisServer.start();
const raw = server.client();
afterAll(() => server.stop());
beforeEach(() => raw.flushall());

const POLL = { timeout: 20_000 };
const loads = async () => Number(await raw.get('loads'));
const startMany = (count: number) =>
  Promise.all(Array.from({ length: count }, () => CacheProcess.start(server.url)));
const waiting = () => raw.zcard('{lock:cache:/report}:queue');

describe('processes with one cache and one lock store', () => {
  it('load a cold key once for four times 250 requests', async () => {
    const processes = await startMany(4);
    const asked = processes.flatMap((each) => Array.from({ length: 250 }, () => each.ask('/report')));
    await expect.poll(() => raw.get('arrived'), POLL).toBe('1000');
    await expect.poll(waiting, POLL).toBe(3); // one for each of the other processes
    expect(await loads()).toBe(1);
    await raw.lpush('gate', 'open');
    const bodies = await Promise.all(asked);
    expect(new Set(bodies.map((body) => JSON.stringify(body))).size).toBe(1);
    expect(await loads()).toBe(1);
  }, 60_000);

  it('of which the loader is killed: one other loads within the ttl of its lock', async () => {
    const [loader, ...others] = await startMany(4);
    const lost = errorOf(loader?.ask('/report') ?? Promise.resolve());
    await expect.poll(loads, POLL).toBe(1);
    const asked = others.flatMap((each) => Array.from({ length: 25 }, () => each.ask('/report')));
    await expect.poll(waiting, POLL).toBe(3);
    const killedAt = performance.now();
    await loader?.kill();
    await lost;
    await expect.poll(loads, { ...POLL, interval: 10 }).toBe(2);
    expect(performance.now() - killedAt).toBeLessThan(2_000 + 3_000); // and what a slow machine needs
    await raw.lpush('gate', 'for the dead', 'for the next');
    const bodies = await Promise.all(asked);
    expect(new Set(bodies.map((body) => JSON.stringify(body))).size).toBe(1);
    expect(others.map(({ pid }) => ({ loadedBy: pid }))).toContainEqual(bodies[0]);
    expect(await loads()).toBe(2);
  }, 60_000);

  it('17. end by themselves although a value was being loaded anew, and came when the cache was closed', async () => {
    const [process] = await startMany(1);
    await raw.lpush('gate', 'open');
    const first = await process?.ask('/stale');
    await expect.poll(async () => [await process?.ask('/stale'), await loads()], POLL).toEqual([first, 2]);
    process?.close();
    expect(await process?.ended).toBe(0);
  });
});
