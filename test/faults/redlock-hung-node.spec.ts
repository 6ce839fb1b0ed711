import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { errorOf } from '../support/deferred.js';
import { leftIn } from '../support/redis/locks.js';
import { redlockOn } from '../support/redis/redlock-locks.js';
import { RedlockServers } from '../support/redis/redlock-servers.js';
import { until } from '../support/redis/until.js';

/** Generous, and yet far below what a lock that waits for the slowest node takes. */
const SOON = 1_000;

async function timeOf(work: Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work;
  return performance.now() - startedAt;
}

/** Leases last half a minute where not said otherwise, so that nothing ends by itself. */
describe('a node of five that hangs', () => {
  let nodes: RedlockServers;
  beforeAll(async () => {
    nodes = await RedlockServers.start();
  });
  afterEach(async () => {
    await nodes.heal();
    await nodes.flush();
  });
  afterAll(() => nodes.stop());

  it('does not slow down acquire, extend and release (peers.md 6)', async () => {
    const { locks, log } = await redlockOn(nodes);
    await (await locks.acquire('k')).release();
    nodes.pause(0);
    for (let round = 0; round < 3; round += 1) {
      const acquired = locks.acquire('k');
      expect(await timeOf(acquired)).toBeLessThan(SOON);
      const held = await acquired;
      expect(await timeOf(held.extend())).toBeLessThan(SOON);
      expect(await timeOf(held.release())).toBeLessThan(SOON);
    }
    expect(log.of('onLost')).toEqual([]);
    expect(log.of('onError')).toEqual([]);
  });

  it('is freed when it goes on, of votes that it gave and of those that it will give (peers.md 12)', async () => {
    const { locks } = await redlockOn(nodes);
    const before = await locks.acquire('before');
    await until('it has voted', async () => (await nodes.at(0).command('EXISTS', 'lock:before')) === 1);
    nodes.pause(0);
    const during = await locks.acquire('during');
    expect(await before.release()).toBe(true);
    expect(await during.release()).toBe(true);
    await nodes.heal();
    await until(
      'it has counted',
      async () => (await nodes.at(0).command('EXISTS', '{lock:during}:fence')) === 1,
    );
    await nodes.nothingLeft();
  });

  it('is freed of a lock that was released after its deadline (peers.md 12)', async () => {
    const { locks, log } = await redlockOn(nodes);
    nodes.pause(0);
    const held = await locks.acquire('k');
    // This waits for all nodes, and so for the deadline of the vote before.
    expect((await locks.inspect('k'))?.holders).toHaveLength(1);
    expect(await held.release()).toBe(true);
    expect(await locks.inspect('k')).toBeNull(); // by now the release has given up on that node
    await nodes.heal();
    await nodes.nothingLeft();
    expect(log.of('onLost')).toEqual([]);
  });

  it('with two others: a renewal that fails takes no vote away (peers.md 6)', async () => {
    const { locks, log } = await redlockOn(nodes);
    const held = await locks.acquire('k', { ttl: '30s' });
    await until('every node has it', async () => (await nodes.valuesOf('lock:k')).every(Boolean));
    nodes.pause(0, 1, 2);
    expect(await timeOf(errorOf(held.extend()))).toBeLessThan(SOON);
    for (const index of [3, 4]) expect(await nodes.at(index).command('EXISTS', 'lock:k')).toBe(1);
    held.assertHeld();
    await nodes.heal();
    await until('it can be renewed again', () => held.extend().then(() => true));
    expect((await nodes.valuesOf('lock:k')).every(Boolean)).toBe(true);
    expect(await held.release()).toBe(true);
    expect(log.of('onLost')).toEqual([]);
  });

  it('with two others: an extension is decided before the lease is over (peers.md 12)', async () => {
    const { locks, log } = await redlockOn(nodes, { nodeTimeout: undefined });
    const ttl = 1_000;
    const held = await locks.acquire('k', { ttl, renew: false });
    nodes.pause(0, 1, 2);
    const error = await errorOf(held.extend());
    expect(error).toMatchObject({ code: 'LOCK_UNAVAILABLE' });
    expect(held.remaining()).toBeGreaterThan(0);
    expect(await log.seen('onLost')).toMatchObject({ reason: 'expired' });
  });

  it.each([0, '50ms'] as const)(
    'does not make one wait who does not want to: wait %s (peers.md 6)',
    async (wait) => {
      const [one, other] = await Promise.all([redlockOn(nodes), redlockOn(nodes)]);
      const held = await one.locks.acquire('k');
      nodes.pause(0);
      const refused = errorOf(other.locks.acquire('k', { wait }));
      expect(await timeOf(refused)).toBeLessThan(SOON);
      expect(await refused).toMatchObject({ code: 'LOCK_BUSY' });
      expect(other.log.of('onWaiting')).toHaveLength(wait === 0 ? 0 : 1);
      await held.release();
      await nodes.heal();
      await nodes.nothingLeft();
    },
  );

  it('is one vote less, not a refusal: the last of those who answer decides', async () => {
    const { locks } = await redlockOn(nodes);
    nodes.pause(0, 1);
    for (const server of [nodes.at(2), nodes.at(3)])
      await server.command('SET', 'lock:k', 'another', 'PX', 30_000);
    const error = await errorOf(locks.acquire('k', { wait: 0 }));
    expect(error).toMatchObject({ code: 'LOCK_BUSY', holder: 'another' });
    await until('its one vote is taken back', async () => (await leftIn(nodes.at(4))).length === 0);
    for (const server of [nodes.at(2), nodes.at(3)]) await server.command('DEL', 'lock:k');
    await (await locks.acquire('k', { wait: 0 })).release();
    await nodes.heal();
    await nodes.nothingLeft();
  });
});
