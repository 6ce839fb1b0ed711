import { Cluster } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { LockHold } from '../../lib/index.js';
import { RedisCluster } from '../support/redis/cluster.js';
import { locksOn, nothingLeftIn, type RedisLocks, worksAgain } from '../support/redis/locks.js';

describe('on a cluster', () => {
  let cluster: RedisCluster;
  beforeAll(async () => {
    // Else all of it is down while a shard has no master.
    cluster = await RedisCluster.start({ args: ['--cluster-require-full-coverage', 'no'] });
  });
  afterAll(() => cluster.stop());

  function open(): RedisLocks {
    const client = new Cluster(cluster.nodes, { clusterRetryStrategy: () => 100 });
    client.on('error', () => {});
    onTestFinished(() => client.disconnect());
    return locksOn({ client });
  }

  it('a slot that moves takes its locks along, and those who wait', async () => {
    const [one, other] = [open(), open()];
    const held = await one.locks.acquire('moved', { ttl: 2_000 });
    const waiting = other.locks.acquire('moved', { wait: '25s' });
    await other.log.seen('onWaiting');
    const heir = await cluster.migrateSlotOf('lock:moved', async () => {
      await one.log.seen('onRenewed', one.log.of('onRenewed').length + 1);
    });
    await one.log.seen('onRenewed', one.log.of('onRenewed').length + 2);
    held.assertHeld();
    expect(await held.release()).toBe(true);
    const next = await waiting;
    expect(next.fencingToken).toBeGreaterThan(held.fencingToken);
    await next.release();
    await nothingLeftIn(heir);
  });

  it('a lock that is asked for while its slot moves is granted when it has moved', async () => {
    const { locks } = open();
    let asked: Promise<LockHold> | undefined;
    // Until then Redis answers TRYAGAIN to whatever names several keys.
    const heir = await cluster.migrateSlotOf('lock:asked', async () => {
      asked = locks.acquire('asked', { wait: '10s' });
      await locks.inspect('other');
    });
    expect(await (await asked)?.release()).toBe(true);
    await nothingLeftIn(heir);
  });

  it('a dead shard does not keep the others from being renewed, and its own locks go on with its heir', async () => {
    const [one, other] = [open(), open()];
    const keys = Array.from({ length: 12 }, (_, index) => `k${index}`);
    const masters = await Promise.all(keys.map((key) => cluster.masterOf(`lock:${key}`)));
    const doomed = 'k0';
    const elsewhere = keys.filter((_, index) => masters[index] !== masters[0]);
    expect(elsewhere).not.toEqual([]);
    const held = await one.locks.acquire(doomed, { ttl: '20s' });
    const others = await Promise.all(elsewhere.map((key) => one.locks.acquire(key, { ttl: 1_000 })));
    const waiting = other.locks.acquire(doomed, { wait: '25s' });
    await other.log.seen('onWaiting');
    await masters[0]?.command('WAIT', 1, 1_000);
    const old = await cluster.killMasterOf(`lock:${doomed}`);
    const heir = await cluster.failedOver(`lock:${doomed}`, old);
    await expect
      .poll(() => held.extend().then(() => 'extended', String), { timeout: 10_000 })
      .toBe('extended');
    for (const hold of others) hold.assertHeld();
    expect(one.log.of('onLost')).toEqual([]);
    await Promise.all(others.map((hold) => hold.release()));
    expect(await held.release()).toBe(true);
    await (await waiting).release();
    await worksAgain(one, doomed, 1_000);
    await nothingLeftIn(heir);
    await old.restart();
    await cluster.settled();
  });

  it('a lock whose shard is away for longer than the ttl is lost', async () => {
    const one = open();
    const held = await one.locks.acquire('lost', { ttl: 500 });
    const old = await cluster.killMasterOf('lock:lost');
    expect(await one.log.seen('onLost')).toMatchObject({ key: 'lost', reason: 'expired' });
    expect(held.signal.aborted).toBe(true);
    await cluster.failedOver('lock:lost', old);
    await worksAgain(one, 'lost', 2_000);
    await old.restart();
    await cluster.settled();
  });
});
