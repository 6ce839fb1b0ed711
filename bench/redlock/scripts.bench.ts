import type { Redis } from 'ioredis';
import type { LockService } from 'nestjs-distributed-lock';
import { withLocks } from '../contenders/locks.app.js';
import type { Benchmark } from '../harness/benchmark.js';
import { scriptsRun } from '../redis/command-stats.js';
import { patientStore, plainClients, withNodes } from './redlock.app.js';

const KEYS = Array.from({ length: 500 }, (_, index) => `bench:${index}`);

/** One script takes the key and counts its token; another would be needed where nodes differ about the token. */
export const scripts: Benchmark = {
  name: 'redlock: scripts on each node for an acquisition with its fencing token',
  unit: 'scripts',
  goal: { atMost: 1 },
  measure: () =>
    withNodes(async (nodes) => {
      const clients = plainClients(nodes);
      return withLocks(patientStore(clients), async (locks) => {
        await (await locks.acquire('warm-up')).release(); // the nodes know the scripts from then on
        const first = await scriptsToTakeAll(clients, locks);
        const again = await scriptsToTakeAll(clients, locks);
        return {
          value: Math.max(...again) / KEYS.length,
          detail: `${KEYS.length} keys, on each node ${again.join(', ')}; when they were locked for the first time ${first.join(', ')}`,
        };
      });
    }),
};

/** For each node. */
async function scriptsToTakeAll(clients: readonly Redis[], locks: LockService): Promise<readonly number[]> {
  await Promise.all(clients.map((client) => client.config('RESETSTAT')));
  const holds = await Promise.all(KEYS.map((key) => locks.acquire(key)));
  const counts = await Promise.all(clients.map(scriptsRun)); // asked behind the last vote, on its own connection
  await Promise.all(holds.map((hold) => hold.release()));
  return counts;
}
