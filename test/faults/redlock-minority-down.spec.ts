import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { redlockOn } from '../support/redis/redlock-locks.js';
import { RedlockProxies } from '../support/redis/redlock-proxies.js';
import { RedlockServers } from '../support/redis/redlock-servers.js';

/** Leases last half a minute, so that nothing here ends by itself. */
const TTL = '30s';

interface Fault {
  readonly what: string;
  begin(nodes: RedlockServers, network: RedlockProxies, at: readonly number[]): unknown;
}

const FAULTS: readonly Fault[] = [
  { what: 'killed', begin: (nodes, _, at) => nodes.kill(...at) },
  { what: 'stopped', begin: (nodes, _, at) => nodes.pause(...at) },
  {
    what: 'slower than their deadline',
    begin: (_, network, at) => {
      for (const proxy of network.at(...at)) proxy.latency = 300;
    },
  },
  {
    what: 'cut off silently',
    begin: (_, network, at) => {
      for (const proxy of network.at(...at)) proxy.mode = 'hang';
    },
  },
  {
    what: 'cut off, and refuse connections',
    begin: (_, network, at) => {
      for (const proxy of network.at(...at)) {
        proxy.mode = 'reset';
        proxy.cut();
      }
    },
  },
];

describe('while nodes of five', () => {
  let nodes: RedlockServers;
  beforeAll(async () => {
    nodes = await RedlockServers.start();
  });
  afterEach(async () => {
    await nodes.heal();
    await nodes.flush();
  });
  afterAll(() => nodes.stop());

  const cases = FAULTS.flatMap(({ what, begin }) => [
    [`one is ${what}`, begin, [1]] as const,
    [`two are ${what}`, begin, [0, 3]] as const,
  ]);

  it.each(cases)('%s: locks are taken, renewed and released, and exclude', async (_what, begin, at) => {
    const network = await RedlockProxies.start(nodes);
    const [one, other] = await Promise.all([redlockOn(network), redlockOn(network)]);
    const before = await one.locks.acquire('before', { ttl: TTL });
    await begin(nodes, network, at);
    const during = await one.locks.acquire('during', { ttl: TTL });
    for (const held of [before, during]) {
      expect(await other.locks.tryAcquire(held.key)).toBeNull();
      await held.extend();
      expect(held.remaining()).toBeGreaterThan(25_000);
    }
    const waiting = other.locks.acquire('during', { ttl: TTL, wait: '10s' });
    await other.log.seen('onWaiting');
    expect(await before.release()).toBe(true);
    expect(await during.release()).toBe(true);
    const next = await waiting;
    expect(next.fencingToken).toBeGreaterThan(during.fencingToken);
    expect(await next.release()).toBe(true);
    for (const { log } of [one, other]) expect(log.of('onLost')).toEqual([]);
    network.heal();
    await nodes.heal();
    await nodes.nothingLeft();
  });

  it.each(FAULTS.map(({ what, begin }) => [what, begin] as const))(
    'two are %s: leases are renewed in time',
    async (_what, begin) => {
      const network = await RedlockProxies.start(nodes);
      const { locks, log } = await redlockOn(network);
      const held = await locks.acquire('k', { ttl: 900 });
      await begin(nodes, network, [2, 4]);
      await log.seen('onRenewed', 4); // longer than a ttl
      held.assertHeld();
      expect(await held.release()).toBe(true);
      expect(log.of('onLost')).toEqual([]);
    },
  );
});
