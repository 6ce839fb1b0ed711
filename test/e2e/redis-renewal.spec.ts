import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { CommandCounts } from '../support/redis/command-counts.js';
import { openLocks } from '../support/redis/open-locks.js';
import { RedisServer } from '../support/redis/redis-server.js';

const server = await RedisServer.start();
const raw = server.client();
afterAll(() => server.stop());
beforeEach(() => raw.flushall());

const LOCKS = 1_000;
const TTL = 3_000;

describe('batched renewal', () => {
  it.each([
    ['exclusive locks', {}],
    ['shared locks', { mode: 'shared' }],
    ['permits', { permits: 2 }],
  ] as const)('keeps a thousand %s alive with ten scripts each third of the ttl', async (_what, options) => {
    const { locks, log } = await openLocks({ url: server.url });
    const holds = await Promise.all(
      Array.from({ length: LOCKS }, (_, index) => locks.acquire(`k:${index}`, { ...options, ttl: TTL })),
    );
    const owners = await Promise.all(holds.map(({ key }) => raw.get(`lock:${key}`)));
    await log.seen('onRenewed', LOCKS); // from here on they are renewed together
    const rounds = 6; // two ttl
    const counts = await CommandCounts.during(raw, () => log.seen('onRenewed', LOCKS * (rounds + 1)));
    expect(counts.of('evalsha')).toBeGreaterThanOrEqual(rounds * 10);
    expect(counts.of('evalsha')).toBeLessThanOrEqual(rounds * 12 + 12);
    expect(counts.of('eval')).toBe(0);
    expect(log.of('onLost')).toEqual([]);
    for (const hold of holds) hold.assertHeld();
    expect(await Promise.all(holds.map(({ key }) => raw.get(`lock:${key}`)))).toEqual(owners);
    const released = await Promise.all(holds.map((hold) => hold.release()));
    expect(released.every(Boolean)).toBe(true);
    expect((await raw.keys('lock:*')).length).toBe(0);
  });

  it('renews what is left when some were taken away, and tells only those', async () => {
    const { locks, log } = await openLocks({ url: server.url });
    const holds = await Promise.all(
      Array.from({ length: 150 }, (_, index) => locks.acquire(`k:${index}`, { ttl: 900 })),
    );
    await raw.del('lock:k:3', 'lock:k:103');
    await raw.set('lock:k:77', 'another', 'PX', 10_000);
    await log.seen('onLost', 3);
    expect(log.of('onLost').map(({ key, reason }) => `${key} ${reason}`)).toEqual([
      'k:3 taken',
      'k:77 taken',
      'k:103 taken',
    ]);
    await log.seen('onRenewed', 147 * 3);
    expect(holds.filter(({ signal }) => signal.aborted)).toHaveLength(3);
    // A renewal revives nothing, and touches nothing of another's.
    expect(await raw.exists('lock:k:3', 'lock:k:103')).toBe(0);
    expect(await raw.get('lock:k:77')).toBe('another');
  });

  it('shortens no lease that lasts longer', async () => {
    const { locks, log } = await openLocks({ url: server.url });
    await locks.acquire('k', { ttl: 600 });
    await raw.pexpire('lock:k', 60_000);
    await log.seen('onRenewed', 3);
    expect(await raw.pttl('lock:k')).toBeGreaterThan(50_000);
  });
});
