import { Redis } from 'ioredis';
import { describe, expect, it, onTestFinished } from 'vitest';
import { errorOf } from '../support/deferred.js';
import { CommandCounts } from '../support/redis/command-counts.js';
import { locksOn, nothingLeftIn, Order, worksAgain } from '../support/redis/locks.js';
import { RedisServer } from '../support/redis/redis-server.js';
import { startWithUsers } from '../support/redis/secured.js';

const TTL = 1_000;

async function start() {
  const server = await RedisServer.start();
  onTestFinished(() => server.stop());
  return { server, one: locksOn({ url: server.url }), other: locksOn({ url: server.url }) };
}

describe('a Redis that', () => {
  it('is full: holders can renew and release, new locks are unavailable', async () => {
    const { server, one, other } = await start();
    const held = await one.locks.acquire('k', { ttl: TTL });
    const waiting = other.locks.acquire('k', { ttl: TTL, wait: '15s' });
    await other.log.seen('onWaiting');
    await server.command('CONFIG', 'SET', 'maxmemory', 1);
    for (const options of [{}, { mode: 'shared' }, { permits: 2 }] as const) {
      const error = await errorOf(one.locks.acquire('new', options));
      expect(error).toMatchObject({ code: 'LOCK_UNAVAILABLE' });
      expect(String(error)).toContain('OOM');
    }
    const renewals = one.log.of('onRenewed').length;
    await one.log.seen('onRenewed', renewals + 2);
    held.assertHeld();
    await held.release();
    await one.log.seen('onReleased');
    await server.command('CONFIG', 'SET', 'maxmemory', 0);
    await (await waiting).release();
    await worksAgain(one, 'new', TTL);
    await nothingLeftIn(server);
  });

  it('is full when the wait is over: unavailable, not busy', async () => {
    const { server, one, other } = await start();
    const held = await one.locks.acquire('k', { ttl: TTL });
    const waiting = errorOf(other.locks.acquire('k', { ttl: TTL, wait: 1_500 }));
    await other.log.seen('onWaiting');
    await server.command('CONFIG', 'SET', 'maxmemory', 1);
    await held.release();
    expect(await waiting).toMatchObject({ code: 'LOCK_UNAVAILABLE' });
    await server.command('CONFIG', 'SET', 'maxmemory', 0);
    await nothingLeftIn(server);
  });

  it('becomes read-only: the loss is told before another is granted', async () => {
    const { server, one, other } = await start();
    const held = await one.locks.acquire('k', { ttl: TTL });
    const order = new Order();
    order.lossOf(held);
    const waiting = order.grant(other.locks.acquire('k', { ttl: TTL, wait: '15s' }));
    await other.log.seen('onWaiting');
    await server.command('REPLICAOF', '127.0.0.1', '1');
    const error = await errorOf(one.locks.acquire('new', { wait: 0 }));
    expect(error).toMatchObject({ code: 'LOCK_UNAVAILABLE' });
    expect(String(error)).toContain('READONLY');
    await one.log.seen('onLost');
    await server.command('REPLICAOF', 'NO', 'ONE');
    const heir = await waiting;
    expect(order.entries).toEqual(['lost', 'granted']);
    await held.release();
    heir.assertHeld();
    await heir.release();
    await worksAgain(one, 'new', TTL);
    await nothingLeftIn(server);
  });

  it('forgets its scripts is told them again, whatever is done next', async () => {
    const { server, one, other } = await start();
    const held = await one.locks.acquire('k', { ttl: TTL });
    const waiting = other.locks.acquire('k', { wait: '15s' });
    await other.log.seen('onWaiting');
    await server.command('SCRIPT', 'FLUSH');
    await one.log.seen('onRenewed');
    await server.command('SCRIPT', 'FLUSH');
    expect(await held.release()).toBe(true);
    const heir = await waiting;
    await server.command('SCRIPT', 'FLUSH');
    expect((await other.locks.inspect('k'))?.holders).toHaveLength(1);
    await server.command('SCRIPT', 'FLUSH');
    expect(await other.locks.forceRelease('k')).toBe(true);
    await server.command('SCRIPT', 'FLUSH');
    await worksAgain(one, 'k', TTL);
    await heir.release();
    expect(one.log.of('onError')).toEqual([]);
    await nothingLeftIn(server);
  });

  it('denies pub/sub: waiting is asking again, and it is said once', async () => {
    const secured = await startWithUsers({ silent: '~* +@all -@pubsub' });
    onTestFinished(() => secured.stop());
    const [one, other] = [
      locksOn({ url: secured.urlFor('silent') }),
      locksOn({ url: secured.urlFor('silent') }),
    ];
    const held = await one.locks.acquire('k');
    const waiting = Promise.all([1, 2, 3].map(() => other.locks.run('k', () => {}, { wait: '15s' })));
    await other.log.seen('onWaiting', 3);
    expect(await errorOf(other.locks.acquire('k', { wait: 200 }))).toMatchObject({ code: 'LOCK_BUSY' });
    const client = secured.server.client();
    const counts = await CommandCounts.during(
      client,
      () => new Promise((resolve) => setTimeout(resolve, 500)),
    );
    expect(counts.scripts).toBeLessThan(60); // one asks for all of this process, every 50 ms or so
    await held.release();
    await waiting;
    expect(one.warnings).toEqual([]);
    expect(other.warnings).toEqual([expect.stringContaining('pub/sub is forbidden')]);
    await nothingLeftIn(secured.server);
  });
});

describe('a client that the server kills', () => {
  it('comes back: holds go on, waiters are granted', async () => {
    const server = await RedisServer.start();
    onTestFinished(() => server.stop());
    const client = new Redis(server.url);
    onTestFinished(() => client.disconnect());
    const one = locksOn({ client });
    const other = locksOn({ url: server.url });
    const held = await one.locks.acquire('k', { ttl: TTL });
    const waiting = other.locks.acquire('k', { wait: '15s' });
    await other.log.seen('onWaiting');
    for (let round = 1; round <= 2; round += 1) {
      await server.command('CLIENT', 'KILL', 'TYPE', 'normal');
      await server.command('CLIENT', 'KILL', 'TYPE', 'pubsub');
      await one.log.seen('onRenewed', one.log.of('onRenewed').length + 2);
    }
    held.assertHeld();
    await server.command('CLIENT', 'KILL', 'TYPE', 'pubsub');
    expect(await held.release()).toBe(true);
    await (await waiting).release();
    expect(one.log.of('onLost')).toEqual([]);
    expect(client.status).toBe('ready');
    await nothingLeftIn(server);
  });
});
