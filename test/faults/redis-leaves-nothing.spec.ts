import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { errorOf } from '../support/deferred.js';
import { leftIn, locksOn, nothingLeftIn } from '../support/redis/locks.js';
import { RedisServer } from '../support/redis/redis-server.js';

/** Leases last half a minute, so that nothing here ends by itself. */
describe('nothing is left in Redis but fencing tokens that end, after', () => {
  let server: RedisServer;
  beforeAll(async () => {
    server = await RedisServer.start();
  });
  afterEach(async () => {
    await nothingLeftIn(server);
    await server.command('FLUSHALL');
  });
  afterAll(() => server.stop());

  const open = () => [locksOn({ url: server.url }), locksOn({ url: server.url })] as const;

  it('a release', async () => {
    const [{ locks }] = open();
    const held = await locks.acquire(['a', 'b']);
    expect([...(await leftIn(server))].sort()).toEqual(['lock:a', 'lock:b']);
    await held.release();
    expect(await leftIn(server)).toEqual([]);
  });

  it.each([{}, { mode: 'shared' }, { permits: 3 }] as const)('contention with %o', async (options) => {
    const both = open();
    await Promise.all(
      Array.from({ length: 40 }, (_, index) => {
        const mode = index % 5 === 0 && 'mode' in options ? 'exclusive' : undefined;
        return both[index % 2 === 0 ? 0 : 1].locks.run('k', () => sleep(1), {
          ...options,
          ...(mode && { mode }),
          wait: '20s',
        });
      }),
    );
  });

  it.each([{}, { mode: 'shared' }, { permits: 2 }] as const)(
    'waits with %o that are given up',
    async (options) => {
      const [one, other] = open();
      const held = await Promise.all(
        Array.from({ length: 'permits' in options ? 2 : 1 }, () =>
          one.locks.acquire('k', 'permits' in options ? options : {}),
        ),
      );
      const giveUp = new AbortController();
      const waits = [
        errorOf(other.locks.acquire('k', { ...options, wait: 100 })),
        errorOf(other.locks.acquire('k', { ...options, wait: '20s', signal: giveUp.signal })),
        errorOf(one.locks.acquire('k', { ...options, wait: '20s', signal: giveUp.signal })),
      ];
      await other.log.seen('onWaiting', 2);
      giveUp.abort(new Error('given up'));
      const [timedOut] = await Promise.all(waits);
      expect(timedOut).toMatchObject({ code: 'LOCK_BUSY' });
      expect(await other.locks.tryAcquire('k', options)).toBeNull();
      await Promise.all(held.map((hold) => hold.release()));
    },
  );

  it('waits that are given up at the moment of their grant', async () => {
    const [one, other] = open();
    for (let round = 0; round < 30; round += 1) {
      const held = await one.locks.acquire('k');
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

  it.each([{}, { mode: 'shared' }, { permits: 2 }] as const)('a minimal hold with %o', async (options) => {
    const [{ locks }] = open();
    await (await locks.acquire('k', { ...options, minHold: 300 })).release();
    expect(await leftIn(server)).toContain('lock:k');
  });

  it('an application that shuts down', async () => {
    const [one, other] = open();
    await one.locks.acquire('k');
    await one.locks.acquire('many', { permits: 2 });
    const refused = errorOf(other.locks.acquire('k', { wait: '20s' }));
    await other.log.seen('onWaiting');
    await other.close();
    expect(await refused).toMatchObject({ code: 'LOCK_UNAVAILABLE' });
    await one.close();
  });
});
