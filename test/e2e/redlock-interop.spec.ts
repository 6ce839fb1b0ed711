import { setTimeout as sleep } from 'node:timers/promises';
import { Redis as Redis5 } from 'ioredis-5';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { redlockOn } from '../support/redis/redlock-locks.js';
import { redlock4, redlock5 } from '../support/redis/redlock-package.js';
import { RedlockServers } from '../support/redis/redlock-servers.js';

const nodes = await RedlockServers.start();
const clients = nodes.servers.map(({ url }) => new Redis5(url));
afterEach(() => nodes.flush());
afterAll(async () => {
  for (const client of clients) client.disconnect();
  await nodes.stop();
});

describe.each([redlock5(clients), redlock4(clients)])('beside $name, on the same five servers', (peer) => {
  it('what they hold is busy, until they release', async () => {
    const { locks } = await redlockOn(nodes);
    const theirs = await peer.acquire('order:1', 10_000);
    expect(await locks.tryAcquire('order:1')).toBeNull();
    expect(await locks.inspect('order:1')).toMatchObject({ holders: [{ fencingToken: undefined }] });
    await theirs.release();
    expect(await (await locks.tryAcquire('order:1'))?.release()).toBe(true);
    await nodes.nothingLeft();
  });

  it('what we hold is busy for them, until we release', async () => {
    const { locks } = await redlockOn(nodes);
    const ours = await locks.acquire('order:1');
    expect(await peer.tryAcquire('order:1', 1_000)).toBeUndefined();
    ours.assertHeld();
    expect(await ours.release()).toBe(true);
    const theirs = await peer.tryAcquire('order:1', 1_000);
    expect(theirs).toBeDefined();
    await theirs?.release();
  });

  it('we move on when they release', async () => {
    const { locks, log } = await redlockOn(nodes);
    const theirs = await peer.acquire('order:1', 20_000);
    const waiting = locks.acquire('order:1', { wait: '15s' });
    await log.seen('onWaiting');
    const releasedAt = performance.now();
    await theirs.release();
    await using ours = await waiting;
    // Nobody tells us, so that we look from time to time.
    expect(performance.now() - releasedAt).toBeLessThan(5_000);
    expect(await peer.tryAcquire('order:1', 1_000)).toBeUndefined();
    ours.assertHeld();
  });

  it('we move on when their lease expires, and not before', async () => {
    const { locks } = await redlockOn(nodes);
    const startedAt = performance.now();
    await peer.acquire('order:1', 700);
    await using ours = await locks.acquire('order:1', { wait: '15s' });
    const waited = performance.now() - startedAt;
    expect(waited).toBeGreaterThan(690);
    expect(waited).toBeLessThan(5_000);
    ours.assertHeld();
  });

  it('they move on when we release', async () => {
    const { locks } = await redlockOn(nodes);
    const ours = await locks.acquire('order:1');
    let granted = false;
    const waiting = peer.acquire('order:1', 1_000).then((held) => {
      granted = true;
      return held;
    });
    for (let refusals = 0; refusals < 3; refusals += 1) {
      expect(await peer.tryAcquire('order:1', 1_000)).toBeUndefined();
    }
    expect(granted).toBe(false);
    await ours.release();
    await (await waiting).release();
  });

  it('they move on when our lease expires, of which our code has been told', async () => {
    const { locks, log } = await redlockOn(nodes);
    await locks.acquire('order:1', { ttl: 400, renew: false });
    const theirs = await peer.acquire('order:1', 1_000);
    expect(log.of('onLost')).toMatchObject([{ reason: 'expired' }]);
    await theirs.release();
  });

  it('a mixed fleet never has two inside', async () => {
    const [one, other] = await Promise.all([redlockOn(nodes), redlockOn(nodes)]);
    const TURNS = 6;
    let inside = 0;
    let most = 0;
    let counter = 0;
    const work = async () => {
      inside += 1;
      most = Math.max(most, inside);
      const seen = counter;
      await sleep(2);
      counter = seen + 1;
      inside -= 1;
    };
    const ours = async ({ locks }: typeof one) => {
      for (let turn = 0; turn < TURNS; turn += 1) await locks.run('order:1', work, { wait: '20s' });
    };
    const theirs = async () => {
      for (let turn = 0; turn < TURNS; turn += 1) {
        const held = await peer.acquire('order:1', 10_000);
        await work();
        await held.release();
      }
    };
    await Promise.all([ours(one), theirs(), ours(other), theirs()]);
    expect(most).toBe(1);
    expect(counter).toBe(4 * TURNS);
    await nodes.nothingLeft();
  });
});
