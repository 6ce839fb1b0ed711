import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { CommandCounts } from '../support/redis/command-counts.js';
import { type RedlockLocks, redlockOn, settled } from '../support/redis/redlock-locks.js';
import { RedlockServers } from '../support/redis/redlock-servers.js';
import { until } from '../support/redis/until.js';

const nodes = await RedlockServers.start();
const raw = nodes.clients();
afterEach(async () => {
  await nodes.heal();
  await nodes.flush();
});
afterAll(() => nodes.stop());

/** The token of one more grant. Nodes may not be connected yet. */
async function nextToken({ locks }: RedlockLocks): Promise<number> {
  let token = 0;
  await until('the key can be had', async () => {
    const held = await locks.acquire('k', { wait: 0 });
    token = held.fencingToken;
    return held.release();
  });
  return token;
}

/** They begin alike by themselves, unless a second ends just then. */
async function beginAt(count: number): Promise<void> {
  await Promise.all(raw.map((client) => client.set('{lock:k}:fence', count, 'PX', 60_000)));
}

function expectRising(tokens: readonly number[]): void {
  expect(tokens).toEqual([...new Set(tokens)].toSorted((a, b) => a - b));
  for (const token of tokens) expect(Number.isSafeInteger(token)).toBe(true);
}

describe('tokens rise with every grant', () => {
  it('by one, while nodes are well', async () => {
    const [one, other] = await Promise.all([redlockOn(nodes), redlockOn(nodes)]);
    await beginAt(1_000);
    const tokens: number[] = [];
    for (let round = 0; round < 10; round += 1) tokens.push(await nextToken(one), await nextToken(other));
    expect(tokens).toEqual(tokens.map((_, index) => 1_001 + index));
  });

  it('while one node after another goes down and comes back empty', async () => {
    const redlock = await redlockOn(nodes);
    const tokens = [await nextToken(redlock)];
    for (const server of nodes.servers) {
      await server.kill();
      tokens.push(await nextToken(redlock));
      await server.restart();
      tokens.push(await nextToken(redlock), await nextToken(redlock));
    }
    expectRising(tokens);
  });

  it('while each majority is another', async () => {
    const redlock = await redlockOn(nodes);
    const tokens = [await nextToken(redlock)];
    for (const first of nodes.servers.keys()) {
      const down = [first, (first + 2) % nodes.servers.length];
      nodes.pause(...down);
      tokens.push(await nextToken(redlock), await nextToken(redlock));
      await nodes.heal();
      tokens.push(await nextToken(redlock));
    }
    expectRising(tokens);
  });

  it('over nodes whose counters are far apart', async () => {
    const redlock = await redlockOn(nodes);
    const tokens = [await nextToken(redlock)];
    await nodes.at(4).command('SET', '{lock:k}:fence', 4_000_000_000_000_000, 'PX', 60_000);
    // Now with it, now without it.
    for (const down of [[0, 1], [4], [0, 3], [2, 4], [1, 2]]) {
      nodes.pause(...down);
      tokens.push(await nextToken(redlock));
      await nodes.heal();
      tokens.push(await nextToken(redlock));
    }
    expectRising(tokens);
    expect(tokens.at(-1)).toBeGreaterThan(4_000_000_000_000_000);
  });

  it('and under contention, over all who get the lock', async () => {
    const all = await Promise.all([redlockOn(nodes), redlockOn(nodes)]);
    const tokens: number[] = [];
    await Promise.all(
      Array.from({ length: 30 }, async (_, index) => {
        const { locks } = all[index % 2] as RedlockLocks;
        const held = await locks.acquire('k', { wait: '20s' });
        tokens.push(held.fencingToken);
        await held.release();
      }),
    );
    expect(tokens).toHaveLength(30);
    expectRising(tokens);
  });
});

describe('round trips', () => {
  it('are one of each node for a lock, and one for its release', async () => {
    const { locks, clients } = await redlockOn(nodes);
    await (await locks.acquire('k')).release(); // nodes know the scripts now
    await settled({ clients });
    await beginAt(1_000);
    const ROUNDS = 10;
    const counts = await CommandCounts.duringAll(raw, async () => {
      for (let round = 0; round < ROUNDS; round += 1) {
        const held = await locks.acquire('k');
        await held.release();
        await settled({ clients });
      }
    });
    for (const count of counts) {
      expect(count.of('evalsha')).toBe(2 * ROUNDS);
      expect(count.of('eval')).toBe(0);
      expect(count.messages).toBe(0);
    }
  });

  it('are one of each node for a key that is busy', async () => {
    const [one, other] = await Promise.all([redlockOn(nodes), redlockOn(nodes)]);
    await one.locks.acquire('k');
    const settled = () => Promise.all(other.clients.map((client) => client.ping()));
    expect(await other.locks.tryAcquire('k')).toBeNull(); // it knows the nodes now
    await settled();
    const counts = await CommandCounts.duringAll(raw, async () => {
      expect(await other.locks.tryAcquire('k')).toBeNull();
      await settled();
    });
    // Those that had not answered when it was decided are told that it is over.
    for (const count of counts) expect(count.of('evalsha')).toBeLessThanOrEqual(2);
    expect(counts.filter((count) => count.of('evalsha') === 1).length).toBeGreaterThanOrEqual(nodes.quorum);
  });
});
