import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { CommandCounts } from '../support/redis/command-counts.js';
import { redlockOn } from '../support/redis/redlock-locks.js';
import { RedlockServers } from '../support/redis/redlock-servers.js';

const nodes = await RedlockServers.start();
const raw = nodes.clients();
afterEach(async () => {
  await nodes.heal();
  await nodes.flush();
});
afterAll(() => nodes.stop());

const LOCKS = 250;
/** Scripts that it takes to renew them all on one node. */
const BATCHES = 3;

async function hold(count: number, ttl = 1_800) {
  const opened = await redlockOn(nodes);
  const acquiring = Array.from({ length: count }, (_, index) => opened.locks.acquire(`k:${index}`, { ttl }));
  const holds = await Promise.all(acquiring);
  await opened.log.seen('onRenewed', count); // from here on they are renewed together
  const rounds = (more: number) =>
    opened.log.seen('onRenewed', opened.log.of('onRenewed').length + more * count);
  return { ...opened, holds, rounds };
}

describe('renewal', () => {
  it('of many leases takes few calls of each node', async () => {
    const { log, holds, rounds } = await hold(LOCKS);
    const counts = await CommandCounts.duringAll(raw, () => rounds(3));
    for (const count of counts) {
      expect(count.of('evalsha')).toBeGreaterThanOrEqual(2 * BATCHES);
      expect(count.of('evalsha')).toBeLessThanOrEqual(4 * BATCHES);
      expect(count.of('eval')).toBe(0);
    }
    expect(log.of('onLost')).toEqual([]);
    expect((await Promise.all(holds.map((held) => held.release()))).every(Boolean)).toBe(true);
    await nodes.nothingLeft();
  });

  it('is not held up by a node that hangs, and asks it nothing while it does', async () => {
    const { log, holds, rounds } = await hold(LOCKS);
    const [hung, ...others] = await CommandCounts.duringAll(raw, async () => {
      nodes.pause(0);
      await rounds(2); // its leases don't end meanwhile
      await nodes.heal();
    });
    for (const count of others) expect(count.of('evalsha')).toBeLessThanOrEqual(4 * BATCHES);
    // What it was sent before it was known to hang, and perhaps the first that it is sent when it is back: to renew,
    // and to heal what it has lost meanwhile.
    expect(hung?.of('evalsha')).toBeLessThanOrEqual(3 * BATCHES);
    for (const held of holds) held.assertHeld();
    expect(log.of('onLost')).toEqual([]);
  });

  it('tells only those whose lease was taken by a majority', async () => {
    const { log, holds, rounds } = await hold(20, 900);
    await Promise.all(
      nodes.servers.map(async (server, index) => {
        if (index < 3) await server.command('DEL', 'lock:k:3');
        if (index < 3) await server.command('SET', 'lock:k:7', 'another', 'PX', 30_000);
        if (index < 2) await server.command('SET', 'lock:k:11', 'another', 'PX', 30_000);
      }),
    );
    await log.seen('onLost', 2);
    await rounds(1);
    expect(log.of('onLost').map(({ key, reason }) => `${key} ${reason}`)).toEqual(['k:3 taken', 'k:7 taken']);
    expect(holds.filter(({ signal }) => signal.aborted)).toHaveLength(2);
    // What is another's stays so, and what a majority has lost is given to nobody.
    expect(await nodes.at(0).command('GET', 'lock:k:11')).toBe('another');
    expect(await nodes.at(0).command('EXISTS', 'lock:k:3')).toBe(0);
  });

  it('shortens no lease that lasts longer on a node', async () => {
    const { rounds } = await hold(1, 900);
    await nodes.at(0).command('PEXPIRE', 'lock:k:0', 60_000);
    await rounds(2);
    expect(await nodes.at(0).command('PTTL', 'lock:k:0')).toBeGreaterThan(50_000);
  });
});
