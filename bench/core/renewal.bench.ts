import { setTimeout } from 'node:timers/promises';
import type { Benchmark } from '../harness/benchmark.js';
import { withLedger } from './ledger.app.js';

const HELD = 10_000;
const TTL = 6_000;
/** Leases are renewed every third of their ttl. */
const PERIOD = TTL / 3;
const PERIODS = 3;

export const renewal: Benchmark = {
  name: `10,000 locks held with a ttl of ${TTL / 1_000} s`,
  unit: '% CPU',
  measure: () =>
    withLedger(async ({ locks }) => {
      const idle = await cpuDuring(PERIOD);
      const keys = Array.from({ length: HELD }, (_, index) => `held:${index}`);
      const holds = await Promise.all(keys.map((key) => locks.acquire(key, { ttl: TTL })));
      const busy = await cpuDuring(PERIOD * PERIODS);
      for (const hold of holds) hold.assertHeld(); // or nothing was renewed
      await Promise.all(holds.map((hold) => hold.release()));
      const period = busy / PERIODS - idle;
      return {
        value: (100 * period) / PERIOD,
        detail: `${period.toFixed(1)} ms of CPU to renew all, every ${PERIOD / 1_000} s`,
      };
    }),
};

/** Milliseconds of CPU that this process uses while it only waits. */
async function cpuDuring(ms: number): Promise<number> {
  const before = process.cpuUsage();
  await setTimeout(ms);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
