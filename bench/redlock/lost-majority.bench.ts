import { redlockStore } from 'nestjs-distributed-lock/redlock';
import type { RedlockServers } from '../../test/support/redis/redlock-servers.js';
import type { Contender } from '../contenders/contender.js';
import { withLocks } from '../contenders/locks.app.js';
import { ours } from '../contenders/ours.contenders.js';
import { redlock4, redlock5 } from '../contenders/redlock.contenders.js';
import type { Benchmark } from '../harness/benchmark.js';
import { plainClients, tunedClients, withNodes } from './redlock.app.js';

const KEY = 'bench:unavailable';
/** Of ours, each with servers of its own: the first error after the loss is the one that has to wait. */
const SAMPLES = 5;
/** What a node is given to answer by default, in milliseconds. */
const NODE_TIMEOUT = 50;

export const lostMajority: Benchmark = {
  name: 'redlock: time until the error, two of five nodes killed and one stopped',
  unit: 'ms',
  goal: { atMost: NODE_TIMEOUT + 50 },
  measure: async () => {
    let slowest = 0;
    for (let sample = 0; sample < SAMPLES; sample += 1) slowest = Math.max(slowest, await errorOfOurs());
    const bars = [{ name: 'ours', value: slowest }, await errorOf(redlock5), await errorOf(redlock4)].map(
      (bar) => ({ ...bar, text: ms(bar.value) }),
    );
    return {
      value: slowest,
      detail: `the error names all five nodes; slowest of ${SAMPLES} of ours, one of each other: ${bars.map(({ name, text }) => `${name} ${text}`).join('; ')}`,
      chart: { title: 'time until the error, two nodes killed and one stopped (less is better)', bars },
    };
  },
};

function errorOfOurs(): Promise<number> {
  return withNodes((nodes) =>
    withLocks(redlockStore({ clients: plainClients(nodes) }), async (locks) => {
      const contender = ours(locks);
      await contender.turn(KEY);
      await loseMajority(nodes);
      const { took, error } = await failureOf(contender);
      for (const { port } of nodes.servers) {
        if (!error.message.includes(`:${port}`)) throw new Error(`no word of port ${port}: ${error.message}`);
      }
      return took;
    }),
  );
}

/** With the patience that it has by default. */
function errorOf(open: typeof redlock5): Promise<{ readonly name: string; readonly value: number }> {
  return withNodes(async (nodes) => {
    const contender = open(tunedClients(nodes));
    await contender.turn(KEY);
    await loseMajority(nodes);
    const { took } = await failureOf(contender);
    return { name: contender.name, value: took };
  });
}

async function loseMajority(nodes: RedlockServers): Promise<void> {
  nodes.at(2).pause();
  await Promise.all([nodes.at(0).kill(), nodes.at(1).kill()]);
}

async function failureOf({
  name,
  turn,
}: Contender): Promise<{ readonly took: number; readonly error: Error }> {
  const startedAt = performance.now();
  try {
    await turn(KEY);
  } catch (error) {
    return { took: performance.now() - startedAt, error: error as Error };
  }
  throw new Error(`${name} got the key without a majority`);
}

function ms(value: number): string {
  return `${value < 10 ? value.toFixed(2) : Math.round(value).toLocaleString('en')} ms`;
}
