import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { currentLock } from '../../lib/index.js';
import { RedlockQuorumError } from '../../lib/stores/redlock/index.js';
import { errorOf } from '../support/deferred.js';
import { Order, worksAgain } from '../support/redis/locks.js';
import { redlockOn } from '../support/redis/redlock-locks.js';
import { RedlockServers } from '../support/redis/redlock-servers.js';
import { until } from '../support/redis/until.js';

const TTL = 1_000;

interface Fault {
  readonly what: string;
  /** What is said of a node that was killed, and of one that was stopped, in the order of the nodes. */
  readonly said: readonly RegExp[];
  begin(nodes: RedlockServers): Promise<void>;
}

const KILLED = /: not connected(?:: .*ECONN.*)?$/;
const STOPPED = /: no answer (?:within|for) \d+ ms$/;
const FAULTS = (
  [
    { what: 'three nodes are killed', said: [KILLED, KILLED, KILLED], begin: (nodes) => nodes.kill(0, 1, 2) },
    {
      what: 'three nodes are stopped',
      said: [STOPPED, STOPPED, STOPPED],
      begin: async (nodes) => nodes.pause(0, 1, 2),
    },
    {
      what: 'two nodes are killed and one is stopped',
      said: [KILLED, KILLED, STOPPED],
      async begin(nodes) {
        await nodes.kill(0, 1);
        nodes.pause(2);
      },
    },
  ] satisfies readonly Fault[]
).map((fault) => [fault.what, fault] as const);

describe('without a majority', () => {
  let nodes: RedlockServers;
  beforeAll(async () => {
    nodes = await RedlockServers.start();
  });
  afterEach(async () => {
    await nodes.heal();
    await nodes.flush();
  });
  afterAll(() => nodes.stop());

  it.each(FAULTS)(
    '%s: a lock is soon unavailable, and the error tells why, node by node',
    async (_what, { begin, said }) => {
      const { locks, clients } = await redlockOn(nodes, { nodeTimeout: undefined });
      await (await locks.acquire('k')).release();
      await begin(nodes);
      await until('the clients have noticed', async () =>
        clients.every(({ status }, index) => nodes.at(index).alive || status !== 'ready'),
      );
      for (const wait of [0, '10s'] as const) {
        const startedAt = performance.now();
        const error = await errorOf(locks.acquire('k', { wait }));
        expect(performance.now() - startedAt).toBeLessThan(1_000);
        expect(error).toMatchObject({ code: 'LOCK_UNAVAILABLE', reason: 'store' });
        const { message, cause } = error as Error;
        expect(cause).toBeInstanceOf(RedlockQuorumError);
        const { votes } = cause as RedlockQuorumError;
        expect(votes).toHaveLength(5);
        for (const [index, vote] of votes.entries()) {
          expect(vote).toContain(`node ${index + 1} (127.0.0.1:${nodes.at(index).port}): `);
          expect(vote).toMatch(said[index] ?? /: (?:for|not heard yet)$/);
          expect(message).toContain(vote);
        }
      }
      await nodes.heal();
      await nodes.nothingLeft();
    },
  );

  it.each(FAULTS)(
    '%s: what is held is lost before another is granted who waits, and soon all works again',
    async (_what, { begin }) => {
      const [one, other] = await Promise.all([redlockOn(nodes), redlockOn(nodes)]);
      const held = await one.locks.acquire('k', { ttl: TTL });
      const order = new Order();
      order.lossOf(held);
      const waiting = order.grant(other.locks.acquire('k', { ttl: TTL, wait: '20s' }));
      await other.log.seen('onWaiting');
      await one.log.seen('onRenewed');
      await begin(nodes);
      const begunAt = performance.now();
      expect(await one.log.seen('onLost')).toMatchObject({ reason: 'expired' });
      expect(performance.now() - begunAt).toBeLessThan(TTL + 500);
      expect(held.signal.aborted).toBe(true);
      await nodes.heal();
      const heir = await waiting;
      expect(order.entries).toEqual(['lost', 'granted']);
      expect(heir.fencingToken).toBeGreaterThan(held.fencingToken);
      expect(await held.release()).toBe(false);
      heir.assertHeld();
      expect(await heir.release()).toBe(true);
      await worksAgain(one, 'new', TTL);
      await nodes.nothingLeft();
    },
  );

  it('those who wait until their time is over hear that it is unavailable, not busy', async () => {
    const [one, other] = await Promise.all([redlockOn(nodes), redlockOn(nodes)]);
    const held = await one.locks.acquire('k');
    const waiting = errorOf(other.locks.acquire('k', { wait: 1_200 }));
    await other.log.seen('onWaiting');
    await nodes.kill(0, 1);
    nodes.pause(2);
    await held.release(); // which the other nodes tell, so that it is looked at them all
    const error = await waiting;
    expect(error).toMatchObject({ code: 'LOCK_UNAVAILABLE' });
    expect((error as Error).cause).toBeInstanceOf(RedlockQuorumError);
    await nodes.heal();
    await nodes.nothingLeft();
  });

  it('a call gives what a lost lock makes of it: its own error, or a LockLostError in place of its result', async () => {
    const { locks, log } = await redlockOn(nodes);
    const own = new Error('my own');
    const untilLost = async () => {
      const { signal } = currentLock();
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
    };
    const succeeds = errorOf(locks.run('a', untilLost, { ttl: TTL }));
    const fails = errorOf(locks.run('b', () => untilLost().then(() => Promise.reject(own)), { ttl: TTL }));
    await log.seen('onAcquired', 2);
    await nodes.kill(0, 1);
    nodes.pause(2);
    expect(await succeeds).toMatchObject({ code: 'LOCK_LOST', reason: 'expired' });
    expect(await fails).toBe(own);
  });
});
