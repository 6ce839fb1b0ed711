import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { errorOf } from '../support/deferred.js';
import { FaultProxy } from '../support/fault-proxy.js';
import { locksOn, nothingLeftIn, Order, worksAgain } from '../support/redis/locks.js';
import { RedisServer } from '../support/redis/redis-server.js';

const TTL = 1_000;

/** What becomes of the network between one process and Redis; others reach it all the time. */
const FAULTS: Readonly<Record<string, (proxy: FaultProxy) => void>> = {
  'loses everything silently': (proxy) => {
    proxy.mode = 'hang';
  },
  'loses answers': (proxy) => {
    proxy.mode = 'drop-answers';
  },
  'breaks, and cannot be connected again': (proxy) => {
    proxy.mode = 'reset';
    proxy.cut();
  },
  'delays answers beyond the ttl': (proxy) => {
    proxy.latency = TTL;
  },
};

describe('a network that', () => {
  let server: RedisServer;
  beforeAll(async () => {
    server = await RedisServer.start();
  });
  afterAll(() => server.stop());

  async function proxied() {
    const proxy = await FaultProxy.start(server.port);
    onTestFinished(() => proxy.close());
    return { proxy, near: locksOn({ url: `redis://127.0.0.1:${proxy.port}` }) };
  }

  it.each(Object.entries(FAULTS))('%s: the loss is told before another is granted', async (fault, begin) => {
    const { proxy, near } = await proxied();
    const far = locksOn({ url: server.url });
    const held = await near.locks.acquire(fault, { ttl: TTL });
    const order = new Order();
    order.lossOf(held);
    begin(proxy);
    const refused = errorOf(near.locks.acquire(`${fault}: other`, { ttl: TTL, wait: 50 }));
    const heir = await order.grant(far.locks.acquire(fault, { ttl: TTL, wait: '15s' }));
    expect(order.entries).toEqual(['lost', 'granted']);
    expect(held.signal.reason).toMatchObject({ code: 'LOCK_LOST', reason: 'expired' });
    expect(await refused).toMatchObject({ code: 'LOCK_UNAVAILABLE', reason: 'store' });
    expect(heir.fencingToken).toBeGreaterThan(held.fencingToken);
    proxy.heal();
    expect(await held.release()).toBe(false);
    await expect
      .poll(() => errorOf(near.locks.acquire(fault, { wait: 0 })))
      .toMatchObject({ code: 'LOCK_BUSY' });
    heir.assertHeld();
    await heir.release();
    await worksAgain(near, fault, TTL);
    await nothingLeftIn(server);
  });

  it('breaks for a moment costs nobody a lock', async () => {
    const { proxy, near } = await proxied();
    const held = await near.locks.acquire('k', { ttl: TTL });
    const waiting = near.locks.acquire('k', { wait: '10s' });
    await near.log.seen('onWaiting');
    proxy.cut();
    await near.log.seen('onRenewed', 2);
    held.assertHeld();
    proxy.cut();
    expect(await held.release()).toBe(true);
    await (await waiting).release();
    expect(near.log.of('onLost')).toEqual([]);
    await nothingLeftIn(server);
  });

  it('breaks while another releases: who waited is granted once it is back', async () => {
    const { proxy, near } = await proxied();
    const far = locksOn({ url: server.url });
    const held = await far.locks.acquire('k', { ttl: '30s' });
    const waiting = near.locks.acquire('k', { wait: '20s' });
    await near.log.seen('onWaiting');
    proxy.mode = 'reset';
    proxy.cut();
    expect(await held.release()).toBe(true);
    // Nobody hears of it, so the key is not kept for one who may never come back.
    await (await far.locks.acquire('k', { wait: '1s' })).release();
    proxy.heal();
    await (await waiting).release();
    await nothingLeftIn(server);
  });
});
