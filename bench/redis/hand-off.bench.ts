import { setTimeout } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { redisStore } from 'nestjs-distributed-lock/redis';
import type { WaitingContender } from '../contenders/contender.js';
import { withLocks } from '../contenders/locks.app.js';
import { ours } from '../contenders/ours.contenders.js';
import type { Benchmark, Finding } from '../harness/benchmark.js';
import { Child, sharedTime } from '../harness/child.js';
import { quantile } from '../harness/rounds.js';
import { peers } from './contenders/peers.contenders.js';
import { CHANNEL, type HandOffAnswer, KEY } from './hand-off.messages.js';
import { withRedis } from './redis.app.js';

const ROUNDS = 400;
const WARM_UP = 50;
/** Peers hand over in tens of milliseconds: they come along every so many rounds. */
const PEERS_EVERY = 20;
/** The longest time between two questions of a peer: a release falls anywhere into it, in milliseconds. */
const LONGEST_POLL = 250;

type Waiter = Child<string, HandOffAnswer>;
type Samples = Map<string, number[]>;

export const handOffMedian: Benchmark = {
  name: 'redis: hand-off to a waiter in another process, median',
  unit: '× publish→message',
  goal: { atMost: 3 },
  measure: async () => findingAt(0.5, await measured()),
};

export const handOffTail: Benchmark = {
  name: 'redis: hand-off to a waiter in another process, p99',
  unit: '× publish→message',
  goal: { atMost: 10 },
  measure: async () => findingAt(0.99, await measured()),
};

let samples: Promise<Samples> | undefined;
function measured(): Promise<Samples> {
  samples ??= measure();
  return samples;
}

/** Of the median trip of a message, which is measured in the same rounds. */
function findingAt(share: number, all: Samples): Finding {
  const at = (name: string, wanted: number) => quantile(all.get(name) ?? [], wanted);
  const text = (name: string) => `${ms(at(name, 0.5))} (p99 ${ms(at(name, 0.99))})`;
  return {
    value: at('ours', share) / at(MESSAGE, 0.5),
    detail: [...all.keys()].map((name) => `${name} ${text(name)}`).join('; '),
    ...(share === 0.5 && {
      chart: {
        title: 'hand-off to a waiter in another process, median in ms (less is better)',
        bars: [...all.keys()].map((name) => ({ name, value: at(name, 0.5), text: ms(at(name, 0.5)) })),
      },
    }),
  };
}

const MESSAGE = 'publish→message';

function measure(): Promise<Samples> {
  return withRedis(async (server) => {
    const client = server.client();
    const waiter: Waiter = new Child(new URL('./hand-off.child.js', import.meta.url), server.url);
    try {
      await waiter.answer();
      return await withLocks(redisStore({ client }), async (locks) =>
        takeSamples(client, waiter, ours(locks), await peers(client)),
      );
    } finally {
      await waiter.end();
    }
  });
}

async function takeSamples(
  client: Redis,
  waiter: Waiter,
  us: WaitingContender,
  others: readonly WaitingContender[],
): Promise<Samples> {
  const taken: Samples = new Map();
  const add = (name: string, took: number) => {
    taken.set(name, [...(taken.get(name) ?? []), took]);
  };
  for (let round = -WARM_UP; round < ROUNDS; round += 1) {
    const message = await messageTrip(client, waiter);
    const handOff = await handOver(us, waiter, 5);
    if (round < 0) continue;
    add(MESSAGE, message);
    add(us.name, handOff);
    if (round % PEERS_EVERY > 0) continue;
    for (const peer of others) add(peer.name, await handOver(peer, waiter, LONGEST_POLL));
  }
  return taken;
}

async function messageTrip(client: Redis, waiter: Waiter): Promise<number> {
  await pause(5); // as before a hand-off: whoever has slept is slower
  const sentAt = sharedTime();
  await client.publish(CHANNEL, 'message');
  return ((await waiter.answer()) as number) - sentAt;
}

/** From the call that releases here to the moment at which the waiter holds the key there. */
async function handOver({ name, take }: WaitingContender, waiter: Waiter, within: number): Promise<number> {
  const release = await take(KEY);
  waiter.tell(name);
  await waiter.answer();
  await pause(within);
  const releasedAt = sharedTime();
  await release();
  const heldAt = (await waiter.answer()) as number;
  await waiter.answer();
  return heldAt - releasedAt;
}

function pause(within: number): Promise<void> {
  return setTimeout(2 + Math.random() * within);
}

function ms(value: number): string {
  return `${value.toFixed(value < 10 ? 2 : 0)} ms`;
}
