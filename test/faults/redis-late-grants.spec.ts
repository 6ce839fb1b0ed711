import { Redis, type RedisOptions } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { errorOf } from '../support/deferred.js';
import { FaultProxy } from '../support/fault-proxy.js';
import { leftIn, locksOn, nothingLeftIn } from '../support/redis/locks.js';
import { RedisServer } from '../support/redis/redis-server.js';
import { until } from '../support/redis/until.js';

/** How a client treats commands whose connection breaks. Leases last half a minute: nothing here ends by itself. */
const CLIENTS: Readonly<Record<string, Partial<RedisOptions>>> = {
  'that queues and sends again without end': { maxRetriesPerRequest: null },
  'that gives up with the connection': { maxRetriesPerRequest: 0 },
  'that times commands out, and sends them all the same': {
    maxRetriesPerRequest: null,
    commandTimeout: 150,
  },
  'that queues nothing': { enableOfflineQueue: false, maxRetriesPerRequest: 1 },
};

describe.each(Object.entries(CLIENTS))('a client %s', (_name, options) => {
  let server: RedisServer;
  beforeAll(async () => {
    server = await RedisServer.start();
  });
  afterAll(() => server.stop());

  async function proxied() {
    const proxy = await FaultProxy.start(server.port);
    const client = new Redis({ port: proxy.port, retryStrategy: () => 50, ...options } as object);
    client.on('error', () => {});
    await client.ping().catch(() => new Promise((resolve) => client.once('ready', resolve)));
    onTestFinished(async () => {
      client.disconnect();
      await proxy.close();
    });
    return { proxy, client, ...locksOn({ client }) };
  }

  it('leaves nothing of acquisitions that were given up while it was not connected', async () => {
    const { proxy, client, locks } = await proxied();
    proxy.mode = 'reset';
    proxy.cut();
    await until('the client has noticed', async () => client.status !== 'ready');
    const giveUp = new AbortController();
    const errors = [
      errorOf(locks.tryAcquire('now')),
      errorOf(locks.acquire('soon', { wait: 100 })),
      errorOf(locks.acquire('aborted', { wait: '10s', signal: giveUp.signal })),
    ];
    giveUp.abort(new Error('given up'));
    const unavailable = expect.objectContaining({ code: 'LOCK_UNAVAILABLE' });
    const [now, soon, aborted] = await Promise.all(errors);
    expect([now, soon]).toEqual([unavailable, unavailable]);
    expect(aborted).toBeInstanceOf(Error);
    proxy.heal();
    await until('the client is back', async () => (await client.ping()) === 'PONG');
    await nothingLeftIn(server);
    // Nor does anything come later.
    for (let round = 0; round < 10; round += 1) {
      await client.ping();
      expect(await leftIn(server)).toEqual([]);
    }
  });

  it('leaves nothing of a grant whose answer was lost', async () => {
    const { proxy, locks } = await proxied();
    await (await locks.acquire('other')).release(); // the server knows the scripts now
    proxy.mode = 'drop-answers';
    const error = errorOf(locks.acquire('k', { wait: 50 }));
    await until('it was granted', async () => (await server.command('EXISTS', '{lock:k}:fence')) === 1);
    expect(await error).toMatchObject({ code: 'LOCK_UNAVAILABLE' });
    proxy.heal();
    await nothingLeftIn(server);
  });

  it('leaves nothing of a release whose answer was lost, and of a place in line', async () => {
    const { proxy, locks, log } = await proxied();
    const held = await locks.acquire('k');
    const busy = await locks.acquire('busy');
    const waiting = errorOf(locks.acquire('busy', { wait: 400 }));
    await log.seen('onWaiting');
    proxy.mode = 'drop-answers';
    await held.release();
    expect(await waiting).toMatchObject({ code: 'LOCK_UNAVAILABLE' });
    proxy.heal();
    await busy.release();
    await nothingLeftIn(server);
    expect(log.of('onLost')).toEqual([]);
  });
});

describe('a wait that ends while the hand-over is on its way', () => {
  it('never gives the same lock to two', async () => {
    const server = await RedisServer.start();
    onTestFinished(() => server.stop());
    const proxy = await FaultProxy.start(server.port);
    onTestFinished(() => proxy.close());
    const near = locksOn({ url: server.url });
    const far = locksOn({ url: `redis://127.0.0.1:${proxy.port}` });
    await (await far.locks.acquire('k')).release();
    const held = await near.locks.acquire('k');
    let overlap = false;
    let inside = 0;
    const work = async () => {
      inside += 1;
      overlap ||= inside > 1;
      await new Promise((resolve) => setTimeout(resolve, 300));
      inside -= 1;
    };
    // The wait of the far one ends between its claim and the answer to that.
    const wait = 900;
    const late = far.locks.run('k', work, { wait }).catch((error: unknown) => error);
    await far.log.seen('onWaiting');
    const next = near.locks.run('k', work, { wait: '15s' });
    await near.log.seen('onWaiting');
    proxy.latency = 150;
    await new Promise((resolve) => setTimeout(resolve, wait - 350));
    await held.release();
    await Promise.all([late, next]);
    expect(overlap).toBe(false);
    await nothingLeftIn(server);
  });
});
