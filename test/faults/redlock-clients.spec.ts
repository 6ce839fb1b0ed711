import type { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { redlockStore } from '../../lib/stores/redlock/index.js';
import { errorOf } from '../support/deferred.js';
import { locksOf } from '../support/redis/locks.js';
import type { RedisConnection } from '../support/redis/redis-server.js';
import { type RedlockLocks, redlockOn } from '../support/redis/redlock-locks.js';
import { RedlockProxies } from '../support/redis/redlock-proxies.js';
import { RedlockServers } from '../support/redis/redlock-servers.js';
import { until } from '../support/redis/until.js';

/** Everything on it that the store could have changed: its options, and how many listen to what. */
function shapeOf(client: Redis) {
  const listeners = client.eventNames().map((name) => `${String(name)}: ${client.listenerCount(name)}`);
  return { options: { ...client.options }, members: Object.keys(client).sort(), listeners: listeners.sort() };
}

/** One acquires, another of the same store waits: what needs every connection. */
async function contend({ locks, log }: Pick<RedlockLocks, 'locks' | 'log'>): Promise<void> {
  const waits = log.of('onWaiting').length;
  const held = await locks.acquire('k');
  const waiting = locks.acquire('k');
  await log.seen('onWaiting', waits + 1);
  await held.release();
  await (await waiting).release();
}

describe('clients', () => {
  let nodes: RedlockServers;
  beforeAll(async () => {
    nodes = await RedlockServers.start();
  });
  afterEach(async () => {
    await nodes.heal();
    await nodes.flush();
  });
  afterAll(() => nodes.stop());

  function clientsWith(
    options: RedisConnection,
    of: RedlockServers | RedlockProxies = nodes,
  ): readonly Redis[] {
    const clients = of.clients(options);
    onTestFinished(() => {
      for (const client of clients) client.disconnect();
    });
    return clients;
  }

  /** But that which asks. */
  const connected = async () => {
    const lists = await Promise.all(nodes.servers.map((server) => server.command('CLIENT', 'LIST')));
    return lists.map((list) => String(list).trim().split('\n').length - 1);
  };

  it('are left as they were, and open', async () => {
    const clients = clientsWith({});
    await Promise.all(clients.map((client) => client.ping()));
    const before = clients.map(shapeOf);
    const connections = await connected();
    const redlock = await redlockOn(nodes, { clients });
    await contend(redlock);
    expect(await connected()).toEqual(connections.map((count) => count + 1)); // one more, to be told of releases
    await redlock.close();
    expect(clients.map(shapeOf)).toEqual(before);
    expect(await Promise.all(clients.map((client) => client.ping()))).toEqual(
      nodes.servers.map(() => 'PONG'),
    );
    await until('its own are closed', async () => String(await connected()) === String(connections));
  });

  it('are told apart from those of another store that uses them', async () => {
    const clients = clientsWith({});
    const [one, other] = [await redlockOn(nodes, { clients }), await redlockOn(nodes, { clients })];
    await one.close();
    await contend(other);
    expect(await errorOf(one.locks.acquire('k'))).toMatchObject({ code: 'LOCK_UNAVAILABLE' });
  });

  it.each<[string, RedisConnection]>([
    ['were made a moment ago', {}],
    ['connect when they are needed', { lazyConnect: true }],
    ['are ready as soon as they are connected', { enableReadyCheck: false }],
    ['have a prefix for keys of their own', { keyPrefix: 'app:' }],
  ])('that %s', async (_what, options) => {
    const redlock = locksOf(redlockStore({ clients: clientsWith(options) }), 1_500);
    await contend(redlock);
    expect(redlock.log.of('onError')).toEqual([]);
    await nodes.nothingLeft();
  });

  it('that queue nothing are asked again when they are connected', async () => {
    const clients = clientsWith({ enableOfflineQueue: false });
    const { locks } = locksOf(redlockStore({ clients }), 1_500);
    expect(await errorOf(locks.acquire('k', { wait: 0 }))).toMatchObject({ code: 'LOCK_UNAVAILABLE' });
    await until('a lock can be had', async () => (await locks.acquire('k', { wait: 0 })).release());
  });

  it('that time commands out before a node is known are asked again', async () => {
    const clients = clientsWith({ commandTimeout: 100, enableReadyCheck: false, lazyConnect: true });
    nodes.pause(0, 1, 2);
    const { locks } = locksOf(redlockStore({ clients }), 1_500);
    expect(await errorOf(locks.acquire('k', { wait: 0 }))).toMatchObject({ code: 'LOCK_UNAVAILABLE' });
    await nodes.heal();
    await until('a lock can be had', async () => (await locks.acquire('k', { wait: 0 })).release());
    await nodes.nothingLeft();
  });

  /** How they treat commands whose connection breaks. */
  const TREATMENTS: readonly [string, RedisConnection][] = [
    ['send again without end', { maxRetriesPerRequest: null }],
    ['give up with the connection', { maxRetriesPerRequest: 0 }],
    ['time commands out', { maxRetriesPerRequest: null, commandTimeout: 150 }],
    ['queue nothing', { enableOfflineQueue: false, maxRetriesPerRequest: 1 }],
  ];

  /** Three nodes fall silent for a while, with a vote and a release under way. */
  async function survives(options: RedisConnection): Promise<void> {
    const network = await RedlockProxies.start(nodes);
    const clients = clientsWith({ retryStrategy: () => 50, ...options }, network);
    await until('they are connected', async () => clients.every(({ status }) => status === 'ready'));
    const { locks } = await redlockOn(network, { clients });
    const held = await locks.acquire('held');
    for (const proxy of network.at(0, 1, 2)) proxy.mode = 'hang';
    expect(await errorOf(locks.acquire('k', { wait: 0 }))).toMatchObject({ code: 'LOCK_UNAVAILABLE' });
    await held.release();
    network.heal();
    await until('a lock can be had', async () => (await locks.acquire('k', { wait: 0 })).release(), 5_000);
    await nodes.nothingLeft();
  }

  it.each(TREATMENTS)(
    'that %s: nodes are back after an outage, and nothing is left',
    async (_what, options) => {
      await survives(options);
    },
  );

  it('that send nothing again: nodes are back after an outage, and nothing is left', async () => {
    await survives({ autoResendUnfulfilledCommands: false });
  });

  it('one of which is closed by the application are one vote less', async () => {
    const redlock = await redlockOn(nodes);
    redlock.clients[0]?.disconnect();
    redlock.clients[3]?.disconnect();
    await contend(redlock);
    redlock.clients[4]?.disconnect();
    const error = await errorOf(redlock.locks.acquire('k'));
    expect(error).toMatchObject({ code: 'LOCK_UNAVAILABLE' });
    expect(String(error)).toContain('not connected');
  });
});
