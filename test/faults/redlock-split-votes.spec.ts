import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type RedlockLocks, redlockOn } from '../support/redis/redlock-locks.js';
import { RedlockProxies } from '../support/redis/redlock-proxies.js';
import { RedlockServers } from '../support/redis/redlock-servers.js';

/** Milliseconds by which the request of each contender comes later to some nodes than to others. */
const SKEW = 3;
const ROUNDS = 12;

/** Which nodes are near to each contender, and so vote for it: two, two and one, which is a majority for nobody. */
const NEAR = [[0, 1], [2, 3], [4]];

describe('three who ask at once for a free key, each nearer to other nodes (peers.md 2)', () => {
  let nodes: RedlockServers;
  beforeAll(async () => {
    nodes = await RedlockServers.start();
  });
  afterEach(() => nodes.flush());
  afterAll(() => nodes.stop());

  async function contenders(): Promise<readonly RedlockLocks[]> {
    return Promise.all(
      NEAR.map(async (near) => {
        const network = await RedlockProxies.start(nodes);
        const contender = await redlockOn(network);
        await (await contender.locks.acquire(`warm ${near.join()}`)).release(); // nodes know the scripts
        for (const [index, proxy] of network.proxies.entries())
          proxy.latency = near.includes(index) ? 0 : SKEW;
        return contender;
      }),
    );
  }

  it('all get it, one after another, and the first of them soon', async () => {
    const all = await contenders();
    for (let round = 0; round < ROUNDS; round += 1) {
      const startedAt = performance.now();
      let firstAfter = Number.POSITIVE_INFINITY;
      let inside = 0;
      const pass = async () => {
        firstAfter = Math.min(firstAfter, performance.now() - startedAt);
        inside += 1;
        expect(inside).toBe(1);
        await new Promise((resolve) => setTimeout(resolve, 5));
        inside -= 1;
      };
      await Promise.all(all.map(({ locks }) => locks.run('k', pass, { wait: '5s' })));
      expect(firstAfter).toBeLessThan(1_000);
    }
    await nodes.nothingLeft();
  });

  it('none gets it who does not wait, or one does; and no vote is left that would refuse the next', async () => {
    const all = await contenders();
    for (let round = 0; round < ROUNDS; round += 1) {
      const attempts = await Promise.all(all.map(({ locks }) => locks.tryAcquire('k')));
      const granted = attempts.filter((hold) => hold !== null);
      expect(granted.length).toBeLessThanOrEqual(1);
      for (const hold of granted) expect(await hold.release()).toBe(true);
      await nodes.nothingLeft();
    }
  });
});
