import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { LockLostError } from '../../lib/index.js';
import { RedlockQuorumError } from '../../lib/stores/redlock/index.js';
import { errorOf } from '../support/deferred.js';
import { redlockOn } from '../support/redis/redlock-locks.js';
import { RedlockServers } from '../support/redis/redlock-servers.js';

const nodes = await RedlockServers.start();
afterEach(async () => {
  await nodes.heal();
  await nodes.flush();
});
afterAll(() => nodes.stop());

/** Whatever nobody caught while the test ran. */
function unhandled(): readonly unknown[] {
  const errors: unknown[] = [];
  const listener = (error: unknown) => errors.push(error);
  process.on('unhandledRejection', listener);
  onTestFinished(() => void process.off('unhandledRejection', listener));
  return errors;
}

const pttls = async (name: string) =>
  Promise.all(nodes.servers.map(async (server) => Number(await server.command('PTTL', name))));

describe('time', () => {
  it('a lock that was waited for longer than its ttl is fresh (peers.md 1)', async () => {
    const [one, other] = await Promise.all([redlockOn(nodes), redlockOn(nodes)]);
    const holder = await one.locks.acquire('k');
    const waiting = other.locks.acquire('k', { ttl: 900, renew: false, wait: '10s' });
    await other.log.seen('onWaiting');
    await sleep(1_000);
    await holder.release();
    const hold = await waiting;
    expect(hold.remaining()).toBeGreaterThan(400);
    expect(hold.signal.aborted).toBe(false);
    const fresh = (await pttls('lock:k')).filter((left) => left > 300);
    expect(fresh.length).toBeGreaterThanOrEqual(nodes.quorum);
    expect(await hold.release()).toBe(true);
  });

  it('the ttl of the call is that of every renewal, and loss is told within it (peers.md 3)', async () => {
    const { locks, log } = await redlockOn(nodes);
    const hold = await locks.acquire('k', { ttl: 900 });
    for (const times of [1, 2]) {
      expect((await log.seen('onRenewed', times)).ttl).toBe(900);
      expect(Math.max(...(await pttls('lock:k')))).toBeLessThanOrEqual(900);
    }
    await Promise.all(
      nodes.servers.slice(2).map((server) => server.command('SET', 'lock:k', 'another', 'PX', 10_000)),
    );
    const takenAt = performance.now();
    expect((await log.seen('onLost')).reason).toBe('taken');
    expect(performance.now() - takenAt).toBeLessThan(900);
    expect(hold.signal.reason).toBeInstanceOf(LockLostError);
    expect(await hold.release()).toBe(false);
    expect(await nodes.ownersOf('lock:k')).toEqual(['another']);
  });
});

describe('a release that fails', () => {
  it.each(['killed', 'stopped'])(
    'as nodes are %s replaces no result, and delays none (peers.md 4)',
    async (how) => {
      const errors = unhandled();
      const { locks, log } = await redlockOn(nodes);
      const body = async () => {
        if (how === 'killed') await nodes.kill(0, 1, 2);
        else nodes.pause(0, 1, 2);
        return 'result';
      };
      let endedAt = 0;
      const result = await locks.run('k', async () => {
        const value = await body();
        endedAt = performance.now();
        return value;
      });
      expect(result).toBe('result');
      expect(performance.now() - endedAt).toBeLessThan(1_000);
      expect(log.of('onError')[0]).toMatchObject({ operation: 'release', keys: ['k'] });
      expect(log.of('onLost')).toEqual([]);
      const own = new Error('my own');
      await nodes.heal();
      await nodes.nothingLeft(); // it was tried again
      await log.seen('onReleased');
      expect(errors).toEqual([]);
      expect(await errorOf(locks.run('k', () => Promise.reject(own)))).toBe(own);
    },
  );
});

describe('errors', () => {
  it('of a busy key and of nodes that are down differ, and both tell what nodes said (peers.md 5)', async () => {
    const errors = unhandled();
    const [one, other] = await Promise.all([redlockOn(nodes), redlockOn(nodes)]);
    const hold = await one.locks.acquire('k');
    const busy = await errorOf(other.locks.acquire('k', { wait: 0 }));
    const id = (await nodes.ownersOf('lock:k'))[0];
    expect(busy).toMatchObject({ code: 'LOCK_BUSY', key: 'k', holder: id });
    expect((busy as Error).cause).toBeInstanceOf(RedlockQuorumError);
    expect(String((busy as Error).cause)).toContain(`against, held by ${id} for `);
    nodes.pause(0, 1, 2);
    const down = await errorOf(other.locks.acquire('free', { wait: 0 }));
    expect(down).toMatchObject({ code: 'LOCK_UNAVAILABLE', key: 'free', reason: 'store' });
    await nodes.heal();
    await hold.release();
    expect(errors).toEqual([]);
  });

  it('of a key that is busy on the nodes that are left is that they are too few (peers.md 5)', async () => {
    const [one, other] = await Promise.all([redlockOn(nodes), redlockOn(nodes)]);
    await one.locks.acquire('k');
    nodes.pause(0, 1, 2);
    const error = await errorOf(other.locks.acquire('k', { wait: 0 }));
    expect(error).toMatchObject({ code: 'LOCK_UNAVAILABLE', key: 'k', reason: 'store' });
  });

  it('an empty list of keys is refused (peers.md 5)', async () => {
    const { locks } = await redlockOn(nodes);
    expect(await errorOf(locks.acquire([]))).toMatchObject({ code: 'LOCK_KEY' });
    let ran = false;
    const run = locks.run([], () => {
      ran = true;
    });
    expect(await errorOf(run)).toMatchObject({ code: 'LOCK_KEY' });
    expect(ran).toBe(false);
  });

  it('nobody catches are none, however nodes fail (peers.md 5)', async () => {
    const errors = unhandled();
    const { locks, log, clients } = await redlockOn(nodes);
    await locks.acquire('held', { ttl: 900 });
    const waiting = errorOf(locks.acquire('held', { wait: 1_200 }));
    await log.seen('onWaiting');
    await nodes.kill(0);
    nodes.pause(1);
    clients[2]?.disconnect();
    await errorOf(locks.acquire('k', { wait: 0 }));
    await nodes.kill(3, 4);
    await log.seen('onLost');
    await waiting;
    expect(errors).toEqual([]);
  });
});

describe('several keys', () => {
  it('are all had or none', async () => {
    const [one, other] = await Promise.all([redlockOn(nodes), redlockOn(nodes)]);
    const hold = await one.locks.acquire('b');
    expect(await other.locks.tryAcquire(['c', 'a', 'b'])).toBeNull();
    await hold.release();
    await nodes.nothingLeft();
    const all = await other.locks.acquire(['c', 'a', 'b'], { wait: 0 });
    expect(await one.locks.tryAcquire('c')).toBeNull();
    expect(await all.release()).toBe(true);
    await nodes.nothingLeft();
  });
});
