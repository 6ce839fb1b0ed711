import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { CommandCounts } from '../support/redis/command-counts.js';
import { openLocks } from '../support/redis/open-locks.js';
import { LockProcess } from '../support/redis/processes.js';
import { RedisServer } from '../support/redis/redis-server.js';

const server = await RedisServer.start();
const raw = server.client();
afterAll(() => server.stop());
beforeEach(() => raw.flushall());

/** Processes whose inbox is open, on a server that knows the scripts. */
async function opened(count: number): Promise<readonly LockProcess[]> {
  const workers = await LockProcess.startMany(count, server.url);
  const { locks } = await openLocks({ url: server.url });
  const hold = await locks.acquire('warm');
  const warm = workers.map(async (worker) => {
    await worker.call('acquire', 'warm', { wait: '20s' });
    await worker.call('release', 'warm');
  });
  await Promise.all(workers.map((worker) => worker.seen('waiting', 'warm')));
  await hold.release();
  await Promise.all(warm);
  return workers;
}

describe('several processes', () => {
  it('exclude each other, and every token is greater than the one before', async () => {
    const workers = await LockProcess.startMany(4, server.url);
    await Promise.all(workers.map((worker) => worker.call('count', 'k', 'counter', 50)));
    expect(await raw.get('counter')).toBe('200');
    const tokens = (await raw.lrange('counter:tokens', 0, -1)).map(Number);
    expect(tokens).toHaveLength(200);
    expect(tokens).toEqual([...new Set(tokens)].sort((a, b) => a - b));
    expect((await raw.keys('*')).sort()).toEqual(['counter', 'counter:tokens', '{lock:k}:fence']);
  });

  it('are served in the order in which they came', async () => {
    const workers = await opened(3);
    const { locks } = await openLocks({ url: server.url });
    const hold = await locks.acquire('k');
    const marks: string[] = [];
    const passing: Promise<void>[] = [];
    for (let index = 0; index < 30; index += 1) {
      const worker = workers[(index * 7) % 3] as LockProcess;
      marks.push(String(index));
      passing.push(worker.call('pass', 'k', 'passed', String(index)));
      await expect.poll(() => raw.zcard('{lock:k}:queue'), { interval: 1 }).toBe(index + 1);
    }
    await hold.release();
    await Promise.all(passing);
    expect(await raw.lrange('passed', 0, -1)).toEqual(marks);
  });

  it('get tokens that rise from process to process', async () => {
    const workers = await opened(3);
    const tokens: number[] = [];
    for (let index = 0; index < 12; index += 1) {
      const worker = workers[index % 3] as LockProcess;
      tokens.push(await worker.call('acquire', 'k', {}));
      await worker.call('release', 'k');
    }
    expect(tokens).toEqual([...new Set(tokens)].sort((a, b) => a - b));
  });

  it('one release wakes one waiter; the others ask nothing', async () => {
    const workers = await opened(4);
    const { locks } = await openLocks({ url: server.url });
    const hold = await locks.acquire('k');
    const waiting: Promise<number>[] = [];
    for (const worker of workers) {
      waiting.push(worker.call('acquire', 'k', { wait: '20s' }));
      await worker.seen('waiting', 'k');
    }
    const counts = await CommandCounts.during(raw, async () => {
      await hold.release();
      await waiting[0];
    });
    // The release, and the claim of the one who was woken. Besides, one is told when to look after that one.
    expect(counts.scripts).toBe(2);
    expect(counts.messages).toBeLessThanOrEqual(2);
    expect(workers.map(({ events }) => events.includes('acquired k'))).toEqual([true, false, false, false]);
    expect(await raw.zcard('{lock:k}:queue')).toBe(3);
    for (const [index, worker] of workers.entries()) {
      await waiting[index];
      await worker.call('release', 'k');
    }
  });

  it.each([10, 200])('an acquisition costs at most three scripts with %i in line', async (waiters) => {
    const workers = await opened(2);
    const { locks } = await openLocks({ url: server.url });
    const hold = await locks.acquire('k');
    const counts = await CommandCounts.during(raw, async () => {
      const passing = Array.from({ length: waiters }, (_, index) =>
        (workers[index % 2] as LockProcess).call('pass', 'k', 'passed', String(index)),
      );
      await expect.poll(() => raw.zcard('{lock:k}:queue'), { interval: 20 }).toBe(waiters);
      await hold.release();
      await Promise.all(passing);
    });
    expect(await raw.llen('passed')).toBe(waiters);
    // To stand in line, to claim, to release; and the one release here.
    expect(counts.scripts).toBeLessThanOrEqual(3 * waiters + 1);
    expect(counts.messages).toBeLessThanOrEqual(2 * waiters);
  });

  it('a process that ends in order leaves no connection, no key and no place in line', async () => {
    const { locks, app } = await openLocks({ url: server.url });
    const hold = await locks.acquire('k');
    const worker = await LockProcess.start(server.url);
    await worker.call('acquire', 'its own', {});
    const turnedAway = worker.call('acquire', 'k', { wait: '1h' });
    await worker.seen('waiting', 'k');
    const closing = worker.call('close');
    await expect(turnedAway).rejects.toThrow('LOCK_UNAVAILABLE');
    await worker.call('release', 'its own');
    await closing.catch(() => {});
    await hold.release();
    await app.close();
    expect((await raw.keys('*')).filter((name) => !name.endsWith(':fence'))).toEqual([]);
    await expect.poll(clients).toBe(1); // the test's own
  });
});

async function clients(): Promise<number> {
  return String(await raw.client('LIST'))
    .trim()
    .split('\n').length;
}
