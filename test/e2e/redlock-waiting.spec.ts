import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { errorOf } from '../support/deferred.js';
import { CommandCounts } from '../support/redis/command-counts.js';
import { leftIn } from '../support/redis/locks.js';
import { type RedlockLocks, redlockOn } from '../support/redis/redlock-locks.js';
import { RedlockServers } from '../support/redis/redlock-servers.js';
import { startWithUsers } from '../support/redis/secured.js';
import { until } from '../support/redis/until.js';

const nodes = await RedlockServers.start();
const raw = nodes.clients();
afterEach(async () => {
  await nodes.heal();
  await nodes.flush();
});
afterAll(() => nodes.stop());

const two = () => Promise.all([redlockOn(nodes), redlockOn(nodes)]);
/** How many processes each node would tell of a release. */
const listeners = () =>
  Promise.all(
    raw.map(async (client) =>
      Number(((await client.pubsub('NUMSUB', 'lock:k:freed')) as [string, number])[1]),
    ),
  );
const everyNodeHas = (count: number) => async () => (await listeners()).every((each) => each === count);

describe('who waits', () => {
  it('is woken by the release in another process, long before it would look again', async () => {
    const [one, other] = await two();
    // Several, as one might happen to look just then.
    const keys = Array.from({ length: 6 }, (_, index) => `k:${index}`);
    const held = await Promise.all(keys.map((key) => one.locks.acquire(key)));
    const waiting = keys.map(async (key) => {
      const hold = await other.locks.acquire(key, { wait: '20s' });
      return { hold, at: performance.now() };
    });
    await other.log.seen('onWaiting', keys.length);
    await sleep(800); // the looks are up to a second apart by then
    const releasedAt = performance.now();
    await Promise.all(held.map((hold) => hold.release()));
    for (const { hold, at } of await Promise.all(waiting)) {
      expect(at - releasedAt).toBeLessThan(300);
      await hold.release();
    }
  });

  it('is woken though two nodes say nothing', async () => {
    const [one, other] = await two();
    const held = await one.locks.acquire('k');
    const waiting = other.locks.acquire('k', { wait: '20s' });
    await other.log.seen('onWaiting');
    await until('it listens', everyNodeHas(1));
    nodes.pause(0, 1);
    expect(await held.release()).toBe(true);
    expect(await (await waiting).release()).toBe(true);
    await nodes.heal();
    await nodes.nothingLeft();
  });

  it('asks rarely, and once for all of its process (peers.md 9)', async () => {
    const [one, other] = await two();
    await one.locks.acquire('k');
    const waiting = Array.from({ length: 50 }, () => errorOf(other.locks.acquire('k', { wait: 1_500 })));
    await other.log.seen('onWaiting', 50);
    await until('it listens', everyNodeHas(1));
    const counts = await CommandCounts.duringAll(raw, () => sleep(1_000));
    for (const count of counts) expect(count.scripts).toBeLessThan(30);
    const errors = await Promise.all(waiting);
    for (const error of errors) expect(error).toMatchObject({ code: 'LOCK_BUSY' });
  });

  it('leaves nothing subscribed', async () => {
    const [one, other] = await two();
    const held = await one.locks.acquire('k');
    const granted = other.locks.acquire('k', { wait: '20s' });
    await other.log.seen('onWaiting');
    const timedOut = errorOf(other.locks.acquire('k', { wait: 50 }));
    await until('it listens', everyNodeHas(1));
    expect(await timedOut).toMatchObject({ code: 'LOCK_BUSY' });
    await held.release();
    await (await granted).release();
    await until('nothing is subscribed', async () => {
      const channels = await Promise.all(raw.map((client) => client.pubsub('CHANNELS')));
      return channels.flat().length === 0;
    });
  });

  it('in one process is served in the order of coming', async () => {
    const { locks, log } = await redlockOn(nodes);
    const held = await locks.acquire('k');
    const order: number[] = [];
    const pass = (index: number) => locks.run('k', () => order.push(index), { wait: '20s' });
    const passing = Array.from({ length: 20 }, (_, index) => pass(index));
    await log.seen('onWaiting', 20);
    const released = held.release();
    passing.push(pass(20)); // the key is free now, and yet is not for this one
    await Promise.all([released, ...passing]);
    expect(order).toHaveLength(21);
    expect(order).toEqual(order.toSorted((a, b) => a - b));
    await nodes.nothingLeft();
  });

  it('in several processes is served in the end', async () => {
    const all = await Promise.all([redlockOn(nodes), redlockOn(nodes), redlockOn(nodes)]);
    let inside = 0;
    let most = 0;
    const work = async () => {
      inside += 1;
      most = Math.max(most, inside);
      await sleep(1);
      inside -= 1;
    };
    await Promise.all(
      Array.from({ length: 45 }, (_, index) =>
        (all[index % 3] as RedlockLocks).locks.run('k', work, { wait: '25s' }),
      ),
    );
    expect(most).toBe(1);
    await nodes.nothingLeft();
  });

  it('waits for a key that is kept after its release until that is over', async () => {
    const [one, other] = await two();
    const startedAt = performance.now();
    await (await one.locks.acquire('k', { minHold: 700 })).release();
    const held = await other.locks.acquire('k', { wait: '20s' });
    expect(performance.now() - startedAt).toBeGreaterThan(690);
    expect(await held.release()).toBe(true);
  });
});

describe('where pub/sub is denied', () => {
  it('those who wait look from time to time', async () => {
    const secured = await Promise.all([1, 2, 3].map(() => startWithUsers({ silent: '~* +@all -@pubsub' })));
    onTestFinished(async () => {
      await Promise.all(secured.map((each) => each.stop()));
    });
    const open = () => {
      const clients = secured.map((each) => each.server.client(each.as('silent')));
      return redlockOn(nodes, { clients });
    };
    const [one, other] = await Promise.all([open(), open()]);
    const held = await one.locks.acquire('k');
    const waiting = Promise.all([1, 2].map(() => other.locks.run('k', () => {}, { wait: '20s' })));
    await other.log.seen('onWaiting', 2);
    expect(await errorOf(other.locks.acquire('k', { wait: 400 }))).toMatchObject({ code: 'LOCK_BUSY' });
    const releasedAt = performance.now();
    expect(await held.release()).toBe(true);
    await waiting;
    expect(performance.now() - releasedAt).toBeLessThan(3_000);
    for (const { log } of [one, other]) expect(log.of('onError')).toEqual([]);
    for (const { server } of secured) expect(await leftIn(server)).toEqual([]);
  });
});
