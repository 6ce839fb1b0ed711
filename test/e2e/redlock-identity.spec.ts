import { Redis } from 'ioredis';
import { afterAll, afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { LockOptionsError } from '../../lib/index.js';
import { errorOf } from '../support/deferred.js';
import { leftIn } from '../support/redis/locks.js';
import { redlockOn } from '../support/redis/redlock-locks.js';
import { RedlockServers } from '../support/redis/redlock-servers.js';
import { startWithUsers } from '../support/redis/secured.js';
import { until } from '../support/redis/until.js';

const nodes = await RedlockServers.start();
afterEach(async () => {
  await nodes.heal();
  for (const server of nodes.servers) await server.command('REPLICAOF', 'NO', 'ONE');
  await nodes.flush();
});
afterAll(() => nodes.stop());

/** Of the servers at these places. */
function clientsOf(...places: readonly number[]): readonly Redis[] {
  const clients = places.map((place) => nodes.at(place).client({ maxRetriesPerRequest: 20 }));
  onTestFinished(() => {
    for (const client of clients) client.disconnect();
  });
  return clients;
}

describe('who the nodes are is asked before the first lock', () => {
  it('one server through two clients is refused, and nothing is granted', async () => {
    const { locks, store, warnings } = await redlockOn(nodes, { clients: clientsOf(0, 1, 2, 0, 3) });
    await store.ping(); // all nodes are known now; without it a majority might have been faster than the last of them
    for (let attempt = 0; attempt < 2; attempt += 1) {
      const error = await errorOf(locks.acquire('k'));
      expect(error).toBeInstanceOf(LockOptionsError);
      expect(String(error)).toMatch(
        /redlockStore\(\): node \d .* and node \d .* are the same server \(run_id [0-9a-f]{40}\): one server has one vote/,
      );
    }
    expect(warnings).toEqual([expect.stringContaining('are the same server')]);
    await nodes.nothingLeft();
  });

  it('of three clients, two of one server are no majority', async () => {
    const { locks } = await redlockOn(nodes, { clients: clientsOf(0, 0, 1) });
    nodes.pause(1);
    expect(await errorOf(locks.acquire('k', { wait: 0 }))).toBeInstanceOf(LockOptionsError);
    expect(await leftIn(nodes.at(0))).toEqual([]);
  });

  it('a replica is refused', async () => {
    await nodes.at(4).command('REPLICAOF', '127.0.0.1', nodes.at(0).port);
    await until('it follows', async () =>
      String(await nodes.at(4).command('INFO', 'replication')).includes('master_link_status:up'),
    );
    const { locks, store } = await redlockOn(nodes);
    await store.ping();
    const error = await errorOf(locks.acquire('k'));
    expect(error).toBeInstanceOf(LockOptionsError);
    expect(String(error)).toMatch(
      /node 5 .* is a replica, which grants nothing: give a client of each primary/,
    );
    await nodes.nothingLeft();
  });

  it('one that becomes a replica later is one vote less', async () => {
    const { locks, log } = await redlockOn(nodes);
    const before = await locks.acquire('before');
    await nodes.at(4).command('REPLICAOF', '127.0.0.1', '1');
    const during = await locks.acquire('during', { wait: 0 });
    for (const hold of [before, during]) {
      await hold.extend();
      expect(await hold.release()).toBe(true);
    }
    expect(log.of('onLost')).toEqual([]);
  });

  it('one that was a replica for a while is freed of what was released meanwhile', async () => {
    const { locks } = await redlockOn(nodes);
    const before = await locks.acquire('before');
    await until('it has voted', async () => (await nodes.at(4).command('EXISTS', 'lock:before')) === 1);
    await nodes.at(4).command('REPLICAOF', '127.0.0.1', '1');
    expect(await before.release()).toBe(true);
    await nodes.at(4).command('REPLICAOF', 'NO', 'ONE');
    await (await locks.acquire('another')).release();
    await until('it is freed', async () => (await leftIn(nodes.at(4))).length === 0, 1_500);
  });

  it('a client that is led to another server is asked again', async () => {
    const { locks, clients } = await redlockOn(nodes);
    await (await locks.acquire('k')).release();
    await nodes.at(2).restart(); // another process, and so another run_id
    await until('the client is back', async () => (await clients[2]?.ping()) === 'PONG');
    await (await locks.acquire('k')).release();
    await nodes.nothingLeft();
  });
});

describe('a node that may not be asked who it is', () => {
  it('is warned of, and votes all the same', async () => {
    const secured = await startWithUsers({ app: '~* &* +@all -info' });
    onTestFinished(() => secured.stop());
    const denied = secured.server.client({ ...secured.as('app'), enableReadyCheck: false });
    onTestFinished(() => denied.disconnect());
    const { locks, log, warnings } = await redlockOn(nodes, { clients: [...clientsOf(0, 1), denied] });
    nodes.pause(0);
    const held = await locks.acquire('k', { wait: 0 }); // which needs its vote
    await held.extend();
    expect(await held.release()).toBe(true);
    expect(log.of('onLost')).toEqual([]);
    expect(warnings).toEqual([expect.stringMatching(/node 3 .* may not be asked who it is.*allow \+info/)]);
    expect(await leftIn(secured.server)).toEqual([]);
  });
});
