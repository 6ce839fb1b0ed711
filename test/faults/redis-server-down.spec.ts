import { describe, expect, it, onTestFinished } from 'vitest';
import { errorOf } from '../support/deferred.js';
import { locksOn, nothingLeftIn, Order, worksAgain } from '../support/redis/locks.js';
import { RedisServer } from '../support/redis/redis-server.js';

const TTL = 1_000;

async function start() {
  const server = await RedisServer.start();
  onTestFinished(() => server.stop());
  return { server, one: locksOn({ url: server.url }), other: locksOn({ url: server.url }) };
}

describe('a Redis that', () => {
  it('is killed: holds are lost in time, callers hear that it is unavailable, and all works again (peers.md 7)', async () => {
    const { server, one } = await start();
    const held = await one.locks.acquire('k', { ttl: TTL });
    const lost = new Promise((resolve) => held.signal.addEventListener('abort', resolve));
    await server.kill();
    expect(await errorOf(one.locks.acquire('other', { wait: 0 }))).toMatchObject({
      code: 'LOCK_UNAVAILABLE',
    });
    expect(await errorOf(one.locks.acquire('k', { wait: 300 }))).toMatchObject({ code: 'LOCK_UNAVAILABLE' });
    await lost;
    expect(held.signal.reason).toMatchObject({ reason: 'expired' });
    await server.restart();
    await worksAgain(one, 'k', TTL);
    expect(await held.release()).toBe(false);
  });

  it('restarts empty: the holder learns it with its next renewal, and tokens still rise', async () => {
    const { server, one, other } = await start();
    const held = await one.locks.acquire('k', { ttl: TTL });
    await server.restart();
    const heir = await other.locks.acquire('k', { ttl: TTL });
    expect(heir.fencingToken).toBeGreaterThan(held.fencingToken);
    expect(await one.log.seen('onLost')).toMatchObject({ reason: 'taken' });
    expect(held.signal.aborted).toBe(true);
    expect(await held.release()).toBe(false);
    heir.assertHeld();
    expect(await heir.release()).toBe(true);
    await nothingLeftIn(server);
  });

  it('restarts empty: those who waited are granted, one after another', async () => {
    const { server, one, other } = await start();
    const held = await one.locks.acquire('k', { ttl: '30s' });
    let inside = 0;
    const waiting = [one, other, one].map(({ locks }) =>
      locks.run(
        'k',
        async () => {
          inside += 1;
          expect(inside).toBe(1);
          await other.store.ping();
          inside -= 1;
        },
        { wait: '15s', ttl: TTL },
      ),
    );
    await Promise.all([one.log.seen('onWaiting', 2), other.log.seen('onWaiting')]);
    await server.restart();
    await Promise.all(waiting);
    expect(await held.release()).toBe(false);
    await nothingLeftIn(server);
  });

  it('hangs: the loss is told before another is granted (peers.md 8)', async () => {
    const { server, one, other } = await start();
    const held = await one.locks.acquire('k', { ttl: TTL });
    const order = new Order();
    order.lossOf(held);
    const waiting = order.grant(other.locks.acquire('k', { ttl: TTL, wait: '15s' }));
    await other.log.seen('onWaiting');
    server.pause();
    expect(await errorOf(one.locks.acquire('other', { wait: 50 }))).toMatchObject({
      code: 'LOCK_UNAVAILABLE',
    });
    await one.log.seen('onLost');
    server.resume();
    const heir = await waiting;
    expect(order.entries).toEqual(['lost', 'granted']);
    expect(held.signal.reason).toMatchObject({ reason: 'expired' });
    await held.release();
    heir.assertHeld();
    await heir.release();
    await worksAgain(one, 'other', TTL);
    await nothingLeftIn(server);
  });
});
