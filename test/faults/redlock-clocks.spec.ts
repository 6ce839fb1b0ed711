import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ClockShift } from '../support/redis/clock-shift.js';
import { redlockOn } from '../support/redis/redlock-locks.js';
import { RedlockServers } from '../support/redis/redlock-servers.js';
import { until } from '../support/redis/until.js';

const TTL = 1_500;
const MINUTE = 60_000;

describe('a clock that jumps', () => {
  let clocks: ClockShift;
  let nodes: RedlockServers;
  const clockOf = (index: number) => `clock-${index}`;
  beforeAll(async () => {
    clocks = new ClockShift();
    nodes = await RedlockServers.start(5, (index) => ({ env: clocks.envOf(clockOf(index)) }));
  });
  afterEach(async () => {
    await nodes.flush();
    for (const index of nodes.servers.keys()) clocks.set(clockOf(index), 0);
  });
  afterAll(async () => {
    await nodes.stop();
    clocks.remove();
  });

  /** Resolves when the servers go by it, too. */
  async function shift(at: readonly number[], ms: number): Promise<void> {
    for (const index of at) {
      clocks.set(clockOf(index), ms);
      await until('the server has noticed', async () => {
        const [seconds] = (await nodes.at(index).command('TIME')) as [string];
        return Math.abs(Number(seconds) * 1_000 - Date.now() - ms) < MINUTE / 4;
      });
    }
  }

  it.each([
    [[0], MINUTE],
    [[0], -MINUTE],
    [[1, 4], MINUTE],
    [[1, 4], -MINUTE],
  ])('on the nodes %j, by %i ms: nobody loses a lock, and nobody gets it beside', async (at, ms) => {
    const [one, other] = await Promise.all([redlockOn(nodes), redlockOn(nodes)]);
    const held = await one.locks.acquire('k', { ttl: TTL });
    await until('every node has it', async () => (await nodes.valuesOf('lock:k')).every(Boolean));
    await shift(at, ms);
    expect(await other.locks.tryAcquire('k')).toBeNull();
    const during = await one.locks.acquire('during', { ttl: TTL });
    await one.log.seen('onRenewed', one.log.of('onRenewed').length + 6); // three each, and so longer than a ttl
    for (const hold of [held, during]) {
      expect(await other.locks.tryAcquire(hold.key)).toBeNull();
      hold.assertHeld();
    }
    // Where a jump has ended the lease at once, it is back.
    expect((await nodes.valuesOf('lock:k')).every(Boolean)).toBe(true);
    expect(await held.release()).toBe(true);
    const next = await other.locks.acquire('k', { ttl: TTL, wait: 0 });
    expect(next.fencingToken).toBeGreaterThan(held.fencingToken);
    await shift(at, 0);
    expect(await next.release()).toBe(true);
    expect(await during.release()).toBe(true);
    const last = await one.locks.acquire('k', { ttl: TTL, wait: 0 });
    expect(last.fencingToken).toBeGreaterThan(next.fencingToken);
    expect(await last.release()).toBe(true);
    for (const { log } of [one, other]) expect(log.of('onLost')).toEqual([]);
    await nodes.nothingLeft();
  });

  it('on a node whose lease it has ended: another gets the vote, and not the lock', async () => {
    const [one, other] = await Promise.all([redlockOn(nodes), redlockOn(nodes)]);
    const held = await one.locks.acquire('k', { ttl: '30s' });
    await until('every node has it', async () => (await nodes.valuesOf('lock:k')).every(Boolean));
    await shift([2, 3], MINUTE);
    expect((await nodes.valuesOf('lock:k')).filter((value) => value === null)).toHaveLength(2);
    expect(await other.locks.tryAcquire('k')).toBeNull();
    await until('both votes are taken back', async () => {
      const values = await nodes.valuesOf('lock:k');
      return values.filter((value) => value === null).length === 2;
    });
    await held.extend();
    await until('every node has it again', async () => new Set(await nodes.valuesOf('lock:k')).size === 1);
    expect(await held.release()).toBe(true);
    await nodes.nothingLeft();
  });
});
