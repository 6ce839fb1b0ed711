import { Cluster } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { RedisCluster } from '../support/redis/cluster.js';
import { leftIn, locksOn, nothingLeftIn } from '../support/redis/locks.js';
import { LockProcess } from '../support/redis/processes.js';
import { RedisServer } from '../support/redis/redis-server.js';

const TTL = 1_000;
/** Long enough to tell what ends with a lease from what ends sooner. */
const LONG = 30_000;
/** How long a hand-over may stay unclaimed, and what a slow machine adds. */
const CLAIM = 2_000 + 3_000;

async function timeOf(work: Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work;
  return performance.now() - startedAt;
}

describe('on one server, a process that', () => {
  let server: RedisServer;
  beforeAll(async () => {
    server = await RedisServer.start();
  });
  afterAll(() => server.stop());

  it('dies with a lock hands it over to the head of the line, within its ttl', async () => {
    const child = await LockProcess.start(server.url);
    const token = await child.call('acquire', 'k', { ttl: TTL });
    const [first, second] = [locksOn({ url: server.url }), locksOn({ url: server.url })];
    const order: string[] = [];
    const pass = (name: string, { locks, log }: typeof first) => ({
      waiting: log.seen('onWaiting'),
      done: locks.run('k', () => order.push(name), { wait: '20s', ttl: TTL }),
    });
    const one = pass('first', first);
    await one.waiting;
    const two = pass('second', second);
    await two.waiting;
    await child.kill();
    expect(await timeOf(one.done)).toBeLessThan(TTL + 2_000);
    await two.done;
    expect(order).toEqual(['first', 'second']);
    expect(first.log.of('onAcquired')[0]?.fencingToken).toBeGreaterThan(token);
    await nothingLeftIn(server);
  });

  it('lets its lease end without a release does not stop those of its own who wait behind', async () => {
    const { locks, log } = locksOn({ url: server.url });
    const options = { ttl: 400, wait: '20s', renew: false } as const;
    await locks.acquire('k', options);
    const waiting = [1, 2, 3].map(() => locks.acquire('k', options));
    await log.seen('onWaiting', 3);
    await Promise.all(waiting);
    await log.seen('onLost', 4);
    await nothingLeftIn(server);
  });

  it('dies in line is passed over at once', async () => {
    const { locks, log } = locksOn({ url: server.url });
    const held = await locks.acquire('k', { ttl: LONG });
    const child = await LockProcess.start(server.url);
    void child.call('acquire', 'k', { ttl: LONG, wait: LONG });
    await child.seen('waiting', 'k');
    const waiting = locks.acquire('k', { ttl: LONG, wait: LONG });
    await log.seen('onWaiting');
    await child.kill();
    await held.release();
    expect(await timeOf(waiting)).toBeLessThan(1_000);
    await (await waiting).release();
    await nothingLeftIn(server);
  });

  it('is stopped in line, connected as it is, is passed over soon, though it stands there twice', async () => {
    const { locks, log } = locksOn({ url: server.url });
    const held = await locks.acquire('k', { ttl: LONG });
    const child = await LockProcess.start(server.url);
    const theirs = ['k', 'k'].map((key) => child.call('acquire', key, { ttl: LONG, wait: LONG }));
    await child.seen('waiting', 'k');
    await expect.poll(async () => (await locks.inspect('k'))?.waiters.length).toBe(2);
    const waiting = locks.acquire('k', { ttl: LONG, wait: LONG });
    await log.seen('onWaiting');
    child.pause();
    await held.release();
    expect(await timeOf(waiting)).toBeLessThan(2 * CLAIM);
    child.resume();
    await (await waiting).release();
    // Back again, it gets its turn.
    await Promise.race(theirs);
    await child.kill();
    expect(await leftIn(server)).toContain('lock:k');
    await locks.forceRelease('k');
    await nothingLeftIn(server);
  });
});

describe('on a cluster, a process that', () => {
  it('dies in line is passed over soon', async () => {
    const cluster = await RedisCluster.start();
    onTestFinished(() => cluster.stop());
    const client = new Cluster(cluster.nodes);
    onTestFinished(() => client.disconnect());
    const { locks, log } = locksOn({ client });
    const held = await locks.acquire('k', { ttl: LONG });
    const child = await LockProcess.start({ cluster: cluster.nodes });
    void child.call('acquire', 'k', { ttl: LONG, wait: LONG });
    await child.seen('waiting', 'k');
    const waiting = locks.acquire('k', { ttl: LONG, wait: LONG });
    await log.seen('onWaiting');
    await child.kill();
    await held.release();
    expect(await timeOf(waiting)).toBeLessThan(CLAIM);
    await (await waiting).release();
    await nothingLeftIn(await cluster.masterOf('lock:k'));
  });
});
