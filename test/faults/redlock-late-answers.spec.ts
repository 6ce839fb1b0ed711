import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { leftIn } from '../support/redis/locks.js';
import { redlockOn, settled } from '../support/redis/redlock-locks.js';
import { RedlockProxies } from '../support/redis/redlock-proxies.js';
import { RedlockServers } from '../support/redis/redlock-servers.js';

/** Leases last half a minute, so that nothing here ends by itself. */
describe('a node that answers later than the others, though in time', () => {
  let nodes: RedlockServers;
  beforeAll(async () => {
    nodes = await RedlockServers.start();
  });
  afterEach(() => nodes.flush());
  afterAll(() => nodes.stop());

  async function start() {
    const network = await RedlockProxies.start(nodes);
    const opened = await redlockOn(network, { nodeTimeout: '2s' });
    const slow = () => {
      for (const proxy of network.at(0)) proxy.latency = 60;
    };
    return { ...opened, slow };
  }

  it('has its vote taken back, though it comes after the release', async () => {
    const { locks, clients, slow } = await start();
    await (await locks.acquire('k')).release();
    slow();
    await (await locks.acquire('k')).release();
    await settled({ clients });
    expect(await leftIn(...nodes.servers)).toEqual([]);
  });

  it('and has forgotten the script of the vote, but not that of the release, has it taken back too', async () => {
    const { locks, clients, slow } = await start();
    const other = await locks.acquire('other');
    await nodes.at(0).command('SCRIPT', 'FLUSH');
    await other.release();
    await settled({ clients });
    slow();
    await (await locks.acquire('k')).release();
    await settled({ clients });
    expect(await leftIn(...nodes.servers)).toEqual([]);
  });

  it('and lacks a lease that is renewed is given it', async () => {
    const { locks, clients, slow } = await start();
    const held = await locks.acquire('k');
    await settled({ clients });
    await nodes.at(0).command('DEL', 'lock:k');
    slow();
    await held.extend();
    await settled({ clients });
    expect(new Set(await nodes.valuesOf('lock:k')).size).toBe(1);
    await held.release();
  });

  it('and lacks a lease that was renewed and then released is not given it', async () => {
    const { locks, clients, slow } = await start();
    const held = await locks.acquire('k');
    await held.extend();
    await settled({ clients });
    await nodes.at(0).command('DEL', 'lock:k');
    slow();
    await held.extend();
    await held.release();
    await settled({ clients });
    expect(await leftIn(...nodes.servers)).toEqual([]);
  });
});
