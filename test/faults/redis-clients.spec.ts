import { Cluster, Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { RedisCluster } from '../support/redis/cluster.js';
import { locksOn, type RedisLocks } from '../support/redis/locks.js';
import { LockProcess } from '../support/redis/processes.js';
import { RedisServer } from '../support/redis/redis-server.js';
import { until } from '../support/redis/until.js';

/** Everything on it that the store could have changed: its options, and how many listen to what. */
function shapeOf(client: Redis | Cluster) {
  const listeners = client.eventNames().map((name) => `${String(name)}: ${client.listenerCount(name)}`);
  return { options: { ...client.options }, members: Object.keys(client).sort(), listeners: listeners.sort() };
}

/** One acquires, another of the same store waits: what needs every connection. */
async function contend({ locks, log }: RedisLocks): Promise<void> {
  const held = await locks.acquire('k');
  const waiting = locks.acquire('k');
  await log.seen('onWaiting');
  await held.release();
  await (await waiting).release();
}

describe('connections', () => {
  let server: RedisServer;
  beforeAll(async () => {
    server = await RedisServer.start();
  });
  afterAll(() => server.stop());

  /** But that which asks. */
  const connected = async () =>
    String(await server.command('CLIENT', 'LIST'))
      .trim()
      .split('\n').length - 1;

  it('of yours are left as they were, and open', async () => {
    const client = new Redis(server.url);
    onTestFinished(() => client.disconnect());
    await client.ping();
    const before = shapeOf(client);
    const redis = locksOn({ client });
    await contend(redis);
    await redis.close();
    expect(shapeOf(client)).toEqual(before);
    expect(await client.ping()).toBe('PONG');
  });

  it('of yours to a cluster are left as they were, and open', async () => {
    const cluster = await RedisCluster.start();
    onTestFinished(() => cluster.stop());
    const client = new Cluster(cluster.nodes);
    onTestFinished(() => client.disconnect());
    await client.set('{k}:a', '1');
    const shapes = () => [client, ...client.nodes()].map((each) => shapeOf(each).listeners);
    const before = shapes();
    const redis = locksOn({ client });
    await contend(redis);
    await redis.close();
    expect(shapes()).toEqual(before);
    expect(await client.get('{k}:a')).toBe('1');
  });

  it('are one more for a store, once something waits', async () => {
    const client = new Redis(server.url);
    onTestFinished(() => client.disconnect());
    await client.ping();
    const before = await connected();
    const redis = locksOn({ client });
    await (await redis.locks.acquire('k')).release();
    await redis.locks.tryAcquire('k').then((hold) => hold?.release());
    expect(await connected()).toBe(before);
    await contend(redis);
    await Promise.all(Array.from({ length: 20 }, (_, key) => redis.locks.run(`k:${key % 3}`, () => {})));
    expect(await connected()).toBe(before + 1);
    await redis.close();
    await until('it is closed', async () => (await connected()) === before);
  });

  it('of its own are opened with the first lock, and closed with the application', async () => {
    const before = await connected();
    const redis = locksOn({ url: server.url });
    expect(await connected()).toBe(before);
    await contend(redis);
    expect(await connected()).toBe(before + 2);
    await redis.close();
    await until('they are closed', async () => (await connected()) === before);
  });

  it('are closed while they are being opened', async () => {
    const before = await connected();
    const holder = locksOn({ url: server.url });
    await holder.locks.acquire('k');
    const redis = locksOn({ url: server.url });
    const refused = redis.locks.acquire('k', { wait: '10s' }).catch((error: unknown) => error);
    await redis.close();
    expect(await refused).toMatchObject({ code: 'LOCK_UNAVAILABLE', reason: 'shutdown' });
    await holder.close();
    await until('they are closed', async () => (await connected()) === before);
  });

  it.each([true, false])(
    'keep no process alive that has closed its application (server alive: %s)',
    async (alive) => {
      const own = await RedisServer.start();
      onTestFinished(() => own.stop());
      const holder = locksOn({ url: own.url });
      await holder.locks.acquire('k');
      const child = await LockProcess.start(own.url);
      await child.call('acquire', 'other');
      await child.call('release', 'other');
      void child.call('acquire', 'k', { wait: '1h' });
      await child.seen('waiting', 'k');
      if (!alive) await own.kill();
      void child.call('close');
      expect(await child.ended).toBe(0);
      expect(child.events.filter((event) => event.startsWith('unhandled'))).toEqual([]);
    },
  );
});
