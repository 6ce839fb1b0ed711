import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { redlockOn } from '../support/redis/redlock-locks.js';
import { RedlockServers } from '../support/redis/redlock-servers.js';
import { until } from '../support/redis/until.js';

const TTL = 1_500;

describe('a node that restarts empty', () => {
  let nodes: RedlockServers;
  beforeAll(async () => {
    nodes = await RedlockServers.start();
  });
  afterEach(() => nodes.flush());
  afterAll(() => nodes.stop());

  const fenceOn = async (index: number) => Number(await nodes.at(index).command('GET', '{lock:k}:fence'));

  it.each([[[0]], [[1, 4]]])('(%j) has the lease again with the next renewal, and its token', async (at) => {
    const [one, other] = await Promise.all([redlockOn(nodes), redlockOn(nodes)]);
    const held = await one.locks.acquire('k', { ttl: TTL });
    await until('every node has it', async () => (await nodes.valuesOf('lock:k')).every(Boolean));
    const [id] = await nodes.valuesOf('lock:k');
    for (const index of at) await nodes.at(index).restart();
    expect(await nodes.valuesOf('lock:k')).toContain(null);
    expect(await other.locks.tryAcquire('k')).toBeNull();
    await until('every node has it again', async () =>
      (await nodes.valuesOf('lock:k')).every((value) => value === id),
    );
    for (const index of at) {
      expect(await fenceOn(index)).toBe(held.fencingToken);
      const left = Number(await nodes.at(index).command('PTTL', 'lock:k'));
      expect(left).toBeGreaterThan(0);
      expect(left).toBeLessThanOrEqual(TTL);
    }
    held.assertHeld();
    expect(await held.release()).toBe(true);
    expect(one.log.of('onLost')).toEqual([]);
    await nodes.nothingLeft();
  });

  it('again and again, another each time, costs nobody a lock', async () => {
    const [one, other] = await Promise.all([redlockOn(nodes), redlockOn(nodes)]);
    const held = await one.locks.acquire('k', { ttl: TTL });
    await until('every node has it', async () => (await nodes.valuesOf('lock:k')).every(Boolean));
    for (const server of nodes.servers) {
      await server.restart();
      await until('every node has it again', async () => (await nodes.valuesOf('lock:k')).every(Boolean));
      expect(await other.locks.tryAcquire('k')).toBeNull();
    }
    // No node has seen the grant, and none can have another than its lease.
    expect(new Set(await nodes.valuesOf('lock:k')).size).toBe(1);
    held.assertHeld();
    expect(await held.release()).toBe(true);
    expect(one.log.of('onLost')).toEqual([]);
  });

  it('with two others is given nothing: the lease is lost', async () => {
    const { locks, log } = await redlockOn(nodes);
    const held = await locks.acquire('k', { ttl: TTL });
    await until('every node has it', async () => (await nodes.valuesOf('lock:k')).every(Boolean));
    // At once, so that no renewal comes between.
    await Promise.all([0, 1, 2].map((index) => nodes.at(index).command('FLUSHALL')));
    // Three of five say that nobody has it: they may have said so to another, too.
    expect(await log.seen('onLost')).toMatchObject({ reason: 'taken' });
    expect(held.signal.aborted).toBe(true);
    expect((await nodes.valuesOf('lock:k')).slice(0, 3)).toEqual([null, null, null]);
    expect(await held.release()).toBe(false);
  });
});
