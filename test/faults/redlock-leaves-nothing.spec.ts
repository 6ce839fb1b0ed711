import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { errorOf } from '../support/deferred.js';
import { leftIn } from '../support/redis/locks.js';
import { redlockOn } from '../support/redis/redlock-locks.js';
import { RedlockServers } from '../support/redis/redlock-servers.js';
import { until } from '../support/redis/until.js';

/** Leases last half a minute, so that nothing here ends by itself. */
describe('nothing is left on any node after', () => {
  let nodes: RedlockServers;
  beforeAll(async () => {
    nodes = await RedlockServers.start();
  });
  afterEach(async () => {
    await nodes.nothingLeft();
    await until('nobody listens', async () => {
      const channels = nodes.servers.map((server) => server.command('PUBSUB', 'CHANNELS'));
      return (await Promise.all(channels)).flat().length === 0;
    });
    await nodes.flush();
  });
  afterAll(() => nodes.stop());

  const two = () => Promise.all([redlockOn(nodes), redlockOn(nodes)]);

  it('a release', async () => {
    const { locks } = await redlockOn(nodes);
    const held = await locks.acquire(['a', 'b']);
    await until('every node has both', async () => (await leftIn(...nodes.servers)).length === 10);
    await held.release();
  });

  it('contention', async () => {
    const both = await two();
    const passing = Array.from({ length: 40 }, (_, index) =>
      both[index % 2 === 0 ? 0 : 1].locks.run('k', () => sleep(1), { wait: '25s' }),
    );
    await Promise.all(passing);
  });

  it('waits that are given up', async () => {
    const [one, other] = await two();
    const held = await one.locks.acquire('k');
    const giveUp = new AbortController();
    const aborted = [1, 2, 3].map(() =>
      errorOf(other.locks.acquire('k', { wait: '20s', signal: giveUp.signal })),
    );
    await other.log.seen('onWaiting', 3);
    giveUp.abort(new Error('given up'));
    expect(await Promise.all(aborted)).toEqual(aborted.map(() => new Error('given up')));
    await held.release();
  });

  it('waits that are given up at the moment of their grant', async () => {
    const [one, other] = await two();
    for (let round = 0; round < 30; round += 1) {
      const held = await one.locks.acquire('k', { wait: '10s' });
      const giveUp = new AbortController();
      const waiting = other.locks.acquire('k', { signal: giveUp.signal }).then(
        (hold) => hold.release(),
        () => {},
      );
      await other.log.seen('onWaiting', round + 1);
      const released = held.release();
      await sleep(Math.random() * 3);
      giveUp.abort(new Error('given up'));
      await Promise.all([released, waiting]);
    }
  });

  it('an application that shuts down', async () => {
    const [one, other] = await two();
    const held = await one.locks.acquire('k');
    const refused = errorOf(other.locks.acquire('k', { wait: '20s' }));
    await other.log.seen('onWaiting');
    await other.close();
    expect(await refused).toMatchObject({ code: 'LOCK_UNAVAILABLE', reason: 'shutdown' });
    await held.release();
  });
});
