import { Cluster } from 'ioredis';
import { describe, expect, it, onTestFinished } from 'vitest';
import { errorOf } from '../support/deferred.js';
import { RedisCluster } from '../support/redis/cluster.js';
import { locksOn, nothingLeftIn } from '../support/redis/locks.js';
import { RedisServer } from '../support/redis/redis-server.js';
import { until } from '../support/redis/until.js';

async function withReplica() {
  const master = await RedisServer.start();
  onTestFinished(() => master.stop());
  const replica = await RedisServer.start({ args: ['--replicaof', '127.0.0.1', String(master.port)] });
  onTestFinished(() => replica.stop());
  const client = master.client();
  /** It is called online before it takes part. */
  const replicates = () =>
    until('the replica takes part', async () => {
      await client.set('written', '', 'PX', 1);
      return (await client.wait(1, 100)) === 1;
    });
  await replicates();
  return { master, replica, replicates };
}

describe('minReplicas', () => {
  it('grants what a replica has', async () => {
    const { master, replica } = await withReplica();
    const { locks, log } = locksOn({ url: master.url, minReplicas: 1 }, 2_000);
    const held = await locks.acquire('k');
    expect(await replica.command('EXISTS', 'lock:k')).toBe(1);
    const waiting = locks.acquire('k');
    await log.seen('onWaiting');
    await held.release();
    await (await waiting).release();
    await nothingLeftIn(master);
  });

  it('refuses what too few replicas have, and leaves nothing of it', async () => {
    const { master, replica, replicates } = await withReplica();
    const two = locksOn({ url: master.url, minReplicas: 2 }, 2_000);
    const one = locksOn({ url: master.url, minReplicas: 1 }, 2_000);
    const tooFew = await errorOf(two.locks.acquire('k', { wait: 0 }));
    expect(tooFew).toMatchObject({ code: 'LOCK_UNAVAILABLE' });
    expect(String(tooFew)).toContain('only 1 of 2 replicas');
    await nothingLeftIn(master);
    await replica.kill();
    expect(await errorOf(one.locks.acquire('k', { wait: 0 }))).toMatchObject({
      code: 'LOCK_UNAVAILABLE',
    });
    await nothingLeftIn(master);
    await replica.restart();
    await replicates();
    await (await one.locks.acquire('k')).release();
  });

  it('counts the replicas of the right shard of a cluster', async () => {
    const cluster = await RedisCluster.start();
    onTestFinished(() => cluster.stop());
    const client = new Cluster(cluster.nodes);
    onTestFinished(() => client.disconnect());
    const { locks } = locksOn({ client, minReplicas: 1 }, 2_000);
    const keys = ['a', 'b', 'c'];
    for (const key of keys) await (await locks.acquire(key)).release();
    const { locks: demanding } = locksOn({ client, minReplicas: 2 }, 2_000);
    expect(await errorOf(demanding.acquire('a', { wait: 0 }))).toMatchObject({ code: 'LOCK_UNAVAILABLE' });
    await nothingLeftIn(await cluster.masterOf('lock:a'));
    // Those that replicate are the second half of the servers.
    await Promise.all(cluster.servers.slice(3).map((server) => server.kill()));
    for (const key of keys) {
      expect(await errorOf(locks.acquire(key, { wait: 0 }))).toMatchObject({ code: 'LOCK_UNAVAILABLE' });
    }
  });
});
