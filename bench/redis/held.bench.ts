import { setImmediate, setTimeout } from 'node:timers/promises';
import type { LockService } from 'nestjs-distributed-lock';
import { redisStore } from 'nestjs-distributed-lock/redis';
import { withLocks } from '../contenders/locks.app.js';
import type { Benchmark, Finding } from '../harness/benchmark.js';
import { scriptsRun } from './command-stats.js';
import { withRedis } from './redis.app.js';

const HELD = 10_000;
const AT_ONCE = 500;
const TTL = 30_000;
/** Leases are renewed every third of their ttl. */
const WATCHED = TTL;
const WHAT = `redis: ${HELD.toLocaleString('en')} locks held with a ttl of ${TTL / 1_000} s`;

interface Cost {
  readonly scriptsPerSecond: number;
  readonly cpuPercent: number;
  readonly bytesEach: number;
}

export const heldScripts: Benchmark = {
  name: `${WHAT}, renewal`,
  unit: 'scripts/s',
  goal: { atMost: 20 },
  measure: async () => finding((await cost()).scriptsPerSecond),
};

export const heldCpu: Benchmark = {
  name: `${WHAT}, CPU of their process`,
  unit: '% of a core',
  goal: { atMost: 5 },
  measure: async () => finding((await cost()).cpuPercent),
};

export const heldHeap: Benchmark = {
  name: `${WHAT}, heap`,
  unit: 'bytes each',
  goal: { atMost: 1_024 },
  measure: async () => finding((await cost()).bytesEach),
};

function finding(value: number): Finding {
  return { value, detail: `over ${WATCHED / 1_000} s` };
}

let measured: Promise<Cost> | undefined;
function cost(): Promise<Cost> {
  measured ??= withRedis((server) =>
    withLocks(redisStore({ client: server.client() }), async (locks) => {
      await (await holdAll(locks, 'warm-up', AT_ONCE)).release();
      const before = await heapUsed();
      const held = await holdAll(locks, 'held', HELD);
      const bytesEach = ((await heapUsed()) - before) / HELD;

      const observer = server.client();
      await observer.config('RESETSTAT');
      const cpuBefore = process.cpuUsage();
      await setTimeout(WATCHED);
      const { user, system } = process.cpuUsage(cpuBefore);
      const scripts = await scriptsRun(observer);
      held.assertHeld(); // or nothing was renewed
      await held.release();
      return {
        scriptsPerSecond: (scripts * 1_000) / WATCHED,
        cpuPercent: (user + system) / 10 / WATCHED,
        bytesEach,
      };
    }),
  );
  return measured;
}

async function holdAll(locks: LockService, prefix: string, count: number) {
  const holds: Awaited<ReturnType<LockService['acquire']>>[] = [];
  for (let first = 0; first < count; first += AT_ONCE) {
    const keys = Array.from({ length: AT_ONCE }, (_, index) => `${prefix}:${first + index}`);
    holds.push(...(await Promise.all(keys.map((key) => locks.acquire(key, { ttl: TTL })))));
  }
  return {
    assertHeld: () => {
      for (const hold of holds) hold.assertHeld();
    },
    release: () => Promise.all(holds.map((hold) => hold.release())),
  };
}

/** Bytes that live on. Twice, with a turn of the event loop between: finalizers free more. */
async function heapUsed(): Promise<number> {
  if (!globalThis.gc) throw new Error('run node with --expose-gc');
  for (let pass = 0; pass < 2; pass += 1) {
    await setImmediate();
    globalThis.gc();
  }
  return process.memoryUsage().heapUsed;
}
