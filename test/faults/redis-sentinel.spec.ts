import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { errorOf } from '../support/deferred.js';
import { locksOn, nothingLeftIn, worksAgain } from '../support/redis/locks.js';
import { type RedisSentinel, startSentinel } from '../support/redis/sentinel.js';

describe('a fail-over by sentinels', () => {
  let sentinel: RedisSentinel;
  beforeAll(async () => {
    sentinel = await startSentinel();
  });
  afterAll(() => sentinel.stop());

  it('during a hold and a wait: the hold goes on, and then the one who waited is granted', async () => {
    const options = { ...sentinel.connection };
    const [one, other] = [locksOn({ options }), locksOn({ options })];
    const old = await sentinel.master();
    const held = await one.locks.acquire('k', { ttl: '20s' });
    const waiting = other.locks.acquire('k', { ttl: '20s', wait: '25s' });
    await other.log.seen('onWaiting');
    await old.command('WAIT', 2, 1_000); // what has not reached a replica would be lost
    await old.kill();
    const heir = await sentinel.failedOver(old);
    await expect
      .poll(() => held.extend().then(() => 'extended', String), { timeout: 10_000 })
      .toBe('extended');
    held.assertHeld();
    expect(await held.release()).toBe(true);
    const next = await waiting;
    expect(next.fencingToken).toBeGreaterThan(held.fencingToken);
    await next.release();
    await worksAgain(one, 'k', 1_000);
    await nothingLeftIn(heir);
    await old.restart();
  });

  it('that takes longer than the ttl: the loss is told', async () => {
    const { locks, log } = locksOn({ options: { ...sentinel.connection } });
    const old = await sentinel.master();
    const held = await locks.acquire('short', { ttl: 500 });
    await old.kill();
    expect(await log.seen('onLost')).toMatchObject({ key: 'short', reason: 'expired' });
    expect(held.signal.aborted).toBe(true);
    expect(await errorOf(locks.acquire('other', { wait: 0 }))).toMatchObject({ code: 'LOCK_UNAVAILABLE' });
    await sentinel.failedOver(old);
    await worksAgain({ locks } as ReturnType<typeof locksOn>, 'short', 2_000);
    await old.restart();
  });
});
