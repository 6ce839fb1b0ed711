import { setTimeout } from 'node:timers/promises';
import { redisStore } from 'nestjs-distributed-lock/redis';
import type { RedisServer } from '../../test/support/redis/redis-server.js';
import type { WaitingContender } from '../contenders/contender.js';
import { openLocks } from '../contenders/locks.app.js';
import { ours } from '../contenders/ours.contenders.js';
import type { Benchmark } from '../harness/benchmark.js';
import { countSent, scriptsRun } from './command-stats.js';
import { peers } from './contenders/peers.contenders.js';
import { withRedis } from './redis.app.js';

const KEY = 'bench:contended';
/** Each with a client of its own, as in a process of its own. */
const INSTANCES = 10;
/** How long each keeps the key, in milliseconds. */
const WORK = 5;

export const commandsFew: Benchmark = commands(10);
export const commandsMany: Benchmark = commands(1_000);

function commands(waiters: number): Benchmark {
  const count = waiters.toLocaleString('en');
  return {
    name: `redis: scripts for each acquisition, ${count} waiters on one key`,
    unit: 'scripts',
    goal: { atMost: 3 },
    measure: () =>
      withRedis(async (server) => {
        const scripts = await scriptsOfOurs(server, waiters);
        const value = scripts / waiters;
        const bars = [{ name: 'ours', value, text: value.toFixed(2) }];
        if (waiters <= 10) bars.push(...(await sentByPeers(server, waiters)));
        return {
          value,
          detail: `${scripts} scripts in all; commands sent for each: ${bars.map(({ name, text }) => `${name} ${text}`).join('; ')}`,
          ...(waiters <= 10 && {
            chart: { title: `commands for each acquisition, ${count} waiters (less is better)`, bars },
          }),
        };
      }),
  };
}

async function scriptsOfOurs(server: RedisServer, waiters: number): Promise<number> {
  const apps = await Promise.all(
    Array.from({ length: INSTANCES }, () => openLocks(redisStore({ client: server.client() }))),
  );
  const contenders = apps.map(({ locks }) => ours(locks));
  await inTurns(contenders, INSTANCES * 2); // from then on each process can be woken
  const observer = server.client();
  await observer.config('RESETSTAT');
  await inTurns(contenders, waiters);
  const scripts = await scriptsRun(observer);
  await Promise.all(apps.map(({ close }) => close()));
  return scripts - 2; // less those of the first holder
}

async function sentByPeers(server: RedisServer, waiters: number) {
  const names = (await peers(server.client())).map(({ name }) => name);
  const bars: { name: string; value: number; text: string }[] = [];
  for (const [index, name] of names.entries()) {
    const clients = Array.from({ length: INSTANCES }, () => server.client());
    const sent = clients.map(countSent);
    const contenders = (await Promise.all(clients.map(peers))).map((all) => all[index] as WaitingContender);
    await inTurns(contenders, waiters);
    const value = sent.reduce((sum, count) => sum + count(), 0) / (waiters + 1);
    bars.push({ name, value, text: value.toFixed(2) });
  }
  return bars;
}

/** All wait while one holds the key; then each works a little. */
async function inTurns(contenders: readonly WaitingContender[], waiters: number): Promise<void> {
  const [first] = contenders;
  const release = await first?.take(KEY);
  const turns = Array.from({ length: waiters }, async (_, index) => {
    const leave = await contenders[index % contenders.length]?.take(KEY);
    await setTimeout(WORK);
    await leave?.();
  });
  await setTimeout(200);
  await release?.();
  await Promise.all(turns);
}
