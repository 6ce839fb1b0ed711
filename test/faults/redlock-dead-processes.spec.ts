import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { LockProcess } from '../support/redis/processes.js';
import { redlockOn } from '../support/redis/redlock-locks.js';
import { RedlockServers } from '../support/redis/redlock-servers.js';
import { until } from '../support/redis/until.js';

const TTL = 1_000;

async function timeOf(work: Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work;
  return performance.now() - startedAt;
}

describe('a process that', () => {
  let nodes: RedlockServers;
  beforeAll(async () => {
    nodes = await RedlockServers.start();
  });
  afterEach(() => nodes.flush());
  afterAll(() => nodes.stop());

  const startProcess = () => LockProcess.start({ redlock: nodes.servers.map(({ url }) => url) });

  it('dies with a lock is followed by one who waits, within its ttl', async () => {
    const child = await startProcess();
    const token = await child.call('acquire', 'k', { ttl: TTL });
    const { locks, log } = await redlockOn(nodes);
    const waiting = locks.acquire('k', { wait: '20s' });
    await log.seen('onWaiting');
    await child.kill();
    expect(await timeOf(waiting)).toBeLessThan(TTL + 2_000);
    const hold = await waiting;
    expect(hold.fencingToken).toBeGreaterThan(token);
    expect(await hold.release()).toBe(true);
    await nodes.nothingLeft();
  });

  it('is stopped with a lock has lost it when it goes on, and frees nothing of the next', async () => {
    const child = await startProcess();
    await child.call('acquire', 'k', { ttl: TTL });
    child.pause();
    const { locks, log } = await redlockOn(nodes);
    const hold = await locks.acquire('k', { wait: '20s' });
    child.resume();
    await child.seen('lost: expired', 'k');
    expect(await child.call('release', 'k')).toBe(false);
    hold.assertHeld();
    await hold.extend();
    expect(await hold.release()).toBe(true);
    expect(log.of('onLost')).toEqual([]);
  });

  it('dies while it waits leaves nothing, and holds up nobody', async () => {
    const { locks } = await redlockOn(nodes);
    const held = await locks.acquire('k');
    const child = await startProcess();
    void child.call('acquire', 'k', { wait: '1h' });
    await child.seen('waiting', 'k');
    await child.kill();
    await held.release();
    await until('the key can be had', async () => (await locks.acquire('k', { wait: 0 })).release(), 5_000);
    await nodes.nothingLeft();
  });

  it('has closed its application ends, though clients and waits were open', async () => {
    const { locks } = await redlockOn(nodes);
    await locks.acquire('k');
    const child = await startProcess();
    await child.call('acquire', 'other');
    await child.call('release', 'other');
    void child.call('acquire', 'k', { wait: '1h' });
    await child.seen('waiting', 'k');
    void child.call('close');
    expect(await child.ended).toBe(0);
    expect(child.events.filter((event) => event.startsWith('unhandled'))).toEqual([]);
  });

  it('counts together with others under a lock loses no step', async () => {
    const workers = await Promise.all([startProcess(), startProcess(), startProcess()]);
    await Promise.all(workers.map((worker) => worker.call('count', 'k', 'counter', 10)));
    expect(await nodes.at(0).command('GET', 'counter')).toBe('30');
    const tokens = (await nodes.at(0).command('LRANGE', 'counter:tokens', 0, -1)) as readonly string[];
    expect(tokens.map(Number)).toEqual(tokens.map(Number).toSorted((a, b) => a - b));
    expect(new Set(tokens).size).toBe(30);
  });
});
