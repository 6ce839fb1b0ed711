import { redlockStore } from 'nestjs-distributed-lock/redlock';
import type { RedlockServers } from '../../test/support/redis/redlock-servers.js';
import type { Contender } from '../contenders/contender.js';
import { withLocks } from '../contenders/locks.app.js';
import { ours } from '../contenders/ours.contenders.js';
import { redlock4, redlock5 } from '../contenders/redlock.contenders.js';
import type { Benchmark } from '../harness/benchmark.js';
import { inOrderOf, quantile } from '../harness/rounds.js';
import { plainClients, tunedClients, withNodes } from './redlock.app.js';

const WARM_UP = 2;
const ROUNDS = 8;
/** What each does in a round with all nodes, and again from the moment on at which one has stopped. */
const TURNS = 1_000;
/** Of redlock 4, which waits for the stopped node in each of them. */
const SLOW_TURNS = 3;

type Condition = 'healthy' | 'one stopped';
type Took = Readonly<Record<Condition, number[]>>;

/** Another node is stopped in every round, for one contender at a time. */
export const stoppedNode: Benchmark = {
  name: 'redlock: acquire + release, p99 with one of five nodes stopped',
  unit: '× healthy',
  goal: { atMost: 2 },
  measure: () =>
    withNodes(async (nodes) => {
      const clients = { ours: plainClients(nodes), five: tunedClients(nodes), four: tunedClients(nodes) };
      const samples = await withLocks(redlockStore({ clients: clients.ours }), (locks) =>
        takeSamples(nodes, [ours(locks), redlock5(clients.five), redlock4(clients.four)], async () => {
          for (const client of Object.values(clients).flat()) await client.ping();
        }),
      );
      const bars = [...samples].flatMap(([name, took]) =>
        (['healthy', 'one stopped'] as const).map((condition) => {
          const value = quantile(took[condition], 0.99);
          return {
            name: `${name}, ${condition}`,
            value,
            text: ms(value),
            median: ms(quantile(took[condition], 0.5)),
            turns: took[condition].length,
          };
        }),
      );
      const p99 = (name: string) => bars.find((bar) => bar.name === name)?.value ?? Number.NaN;
      return {
        value: p99('ours, one stopped') / p99('ours, healthy'),
        detail: bars
          .map(({ name, text, median, turns }) => `${name} ${text} (median ${median}, ${turns} turns)`)
          .join('; '),
        chart: { title: 'acquire + release on five nodes, p99 (less is better)', bars },
      };
    }),
};

async function takeSamples(
  nodes: RedlockServers,
  contenders: readonly Contender[],
  allAnswer: () => Promise<void>,
): Promise<ReadonlyMap<string, Took>> {
  const samples = new Map(
    contenders.map(({ name }): [string, Took] => [name, { healthy: [], 'one stopped': [] }]),
  );
  for (let round = -WARM_UP; round < ROUNDS; round += 1) {
    const node = nodes.at((round + WARM_UP) % nodes.servers.length);
    for (const contender of inOrderOf(round + WARM_UP, contenders)) {
      const takeTurns = async (condition: Condition, turns: number) => {
        for (let turn = 0; turn < turns; turn += 1) {
          const took = await timeOf(contender);
          if (round >= 0) samples.get(contender.name)?.[condition].push(took);
        }
      };
      await takeTurns('healthy', TURNS);
      node.pause();
      await takeTurns('one stopped', contender.name === 'redlock 4' ? SLOW_TURNS : TURNS);
      node.resume();
      await allAnswer();
    }
  }
  return samples;
}

async function timeOf({ name, turn }: Contender): Promise<number> {
  const startedAt = performance.now();
  await turn(`bench:${name}`);
  return performance.now() - startedAt;
}

function ms(value: number): string {
  return `${value.toFixed(value < 10 ? 2 : 0)} ms`;
}
