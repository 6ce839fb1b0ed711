import { afterAll, expect, it } from 'vitest';
import { redlockOn } from '../support/redis/redlock-locks.js';
import { RedlockServers } from '../support/redis/redlock-servers.js';
import { until } from '../support/redis/until.js';

const nodes = await RedlockServers.start();
afterAll(() => nodes.stop());

it('a node that hung is freed of what it holds, however many locks came and went meanwhile', async () => {
  const { locks } = await redlockOn(nodes, { nodeTimeout: '50ms' });
  const hung = nodes.at(0);
  const hold = await locks.acquire('held');
  await until('the node holds it', async () => (await hung.command('GET', 'lock:held')) !== null);
  hung.pause();
  await locks.inspect('held'); // asks all nodes, so that this one is known to hang
  await hold.release();
  for (let done = 0; done < 1_500; done += 1) await (await locks.acquire(`other:${done}`)).release();
  hung.resume();
  await until('the node is free', async () => (await hung.command('GET', 'lock:held')) === null, 5_000);
  expect(await nodes.valuesOf('lock:held')).toEqual([null, null, null, null, null]);
});
