import type { Finding } from '../harness/benchmark.js';
import { median, timeInRounds } from '../harness/rounds.js';
import type { Contender } from './contenders/contender.js';
import { ourStore, ours, oursByRun } from './contenders/ours.contenders.js';
import { peers } from './contenders/peers.contenders.js';
import { raw } from './contenders/raw.contender.js';
import { withLocks, withRedis } from './redis.app.js';

export interface Throughput {
  readonly title: string;
  /** Callers at the same time, each with a key of its own. */
  readonly callers: number;
  /** What each does in a round, one after another. */
  readonly turns: number;
  readonly rounds: number;
}

/** Keys taken and released by all contenders through one client; the value is our share of the raw rate. */
export function throughputOfRaw({ title, callers, turns, rounds }: Throughput): Promise<Finding> {
  return withRedis(async (server) => {
    const client = server.client();
    return withLocks(client, async (locks) => {
      const contenders = [
        await raw(client),
        ours(locks),
        oursByRun(locks),
        ourStore(client),
        ...(await peers(client)),
      ];
      const measured = await timeInRounds(
        Object.fromEntries(
          contenders.map((contender) => [contender.name, () => takeTurns(contender, callers, turns)]),
        ),
        rounds,
      );
      const took = (name: string) => measured.map((round) => round[name] ?? Number.NaN);
      const ofRaw = (name: string) =>
        median(took(name).map((ms, round) => (took('raw ioredis')[round] ?? Number.NaN) / ms));
      const bars = contenders.map(({ name }) => {
        const rate = (callers * turns * 1_000) / median(took(name));
        return { name, value: rate, text: `${rounded(rate)}/s, ${ofRaw(name).toFixed(2)} × raw` };
      });
      return {
        value: ofRaw('ours'),
        detail: bars.map(({ name, text }) => `${name} ${text}`).join('; '),
        chart: { title, bars },
      };
    });
  });
}

async function takeTurns({ turn }: Contender, callers: number, turns: number): Promise<void> {
  const caller = async (_: unknown, index: number) => {
    for (let done = 0; done < turns; done += 1) await turn(`bench:${index}`);
  };
  await Promise.all(Array.from({ length: callers }, caller));
}

function rounded(rate: number): string {
  return (Math.round(rate / 100) * 100).toLocaleString('en');
}
