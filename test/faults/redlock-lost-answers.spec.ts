import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { errorOf } from '../support/deferred.js';
import { redlockOn } from '../support/redis/redlock-locks.js';
import { RedlockProxies } from '../support/redis/redlock-proxies.js';
import { RedlockServers } from '../support/redis/redlock-servers.js';
import { until } from '../support/redis/until.js';

/** Leases last half a minute, so that nothing here ends by itself. */
describe('a node whose answers are lost', () => {
  let nodes: RedlockServers;
  beforeAll(async () => {
    nodes = await RedlockServers.start();
  });
  afterEach(() => nodes.flush());
  afterAll(() => nodes.stop());

  async function start() {
    const network = await RedlockProxies.start(nodes);
    const opened = await redlockOn(network);
    await (await opened.locks.acquire('other')).release(); // the nodes know the scripts now
    return { network, ...opened };
  }

  const votesFor = async (key: string) =>
    (await nodes.valuesOf(`lock:${key}`)).filter((value) => value !== null).length;

  it.each([[[0]], [[0, 1]]])('after its vote (%j): the vote ends with the lock', async (at) => {
    const { network, locks, log } = await start();
    for (const proxy of network.at(...at)) proxy.mode = 'drop-answers';
    const held = await locks.acquire('k');
    await until('every node has voted', async () => (await votesFor('k')) === 5);
    for (const proxy of network.at(...at)) proxy.mode = 'hang';
    expect(await held.release()).toBe(true);
    await until('the others are free', async () => (await votesFor('k')) === at.length);
    network.heal();
    await nodes.nothingLeft();
    expect(log.of('onLost')).toEqual([]);
  });

  it('after its vote, with two others: the lock is not had, and every vote is taken back', async () => {
    const { network, locks } = await start();
    for (const proxy of network.at(1, 2, 3)) proxy.mode = 'drop-answers';
    const error = errorOf(locks.acquire('k', { wait: 0 }));
    await until('every node has voted', async () => (await votesFor('k')) === 5);
    for (const proxy of network.at(1, 2, 3)) proxy.mode = 'hang';
    expect(await error).toMatchObject({ code: 'LOCK_UNAVAILABLE' });
    await until('the others are free', async () => (await votesFor('k')) === 3);
    network.heal();
    await nodes.nothingLeft();
  });

  it('after its release: the lock is free', async () => {
    const { network, locks, log } = await start();
    const held = await locks.acquire('k');
    for (const proxy of network.at(0, 1)) proxy.mode = 'drop-answers';
    expect(await held.release()).toBe(true);
    await until('every node is free', async () => (await votesFor('k')) === 0);
    network.heal();
    await (await locks.acquire('k', { wait: 0 })).release();
    await nodes.nothingLeft();
    expect(log.of('onLost')).toEqual([]);
  });

  it('before its release: it is asked again', async () => {
    const { network, locks } = await start();
    const held = await locks.acquire('k');
    for (const proxy of network.at(0, 1)) proxy.mode = 'hang';
    expect(await held.release()).toBe(true);
    expect(await votesFor('k')).toBe(2);
    network.heal();
    await nodes.nothingLeft();
  });
});
