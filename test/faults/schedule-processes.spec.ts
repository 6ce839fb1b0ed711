import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RedisServer } from '../support/redis/redis-server.js';
import { until } from '../support/redis/until.js';
import { JobProcess, type JobProcessOptions } from '../support/schedule/job-process.js';

const EVERY_SECOND = '* * * * * *';

let server: RedisServer;
beforeEach(async () => {
  server = await RedisServer.start();
});
afterEach(() => server.stop());

function start(count: number, options: Omit<JobProcessOptions, 'url'>): Promise<readonly JobProcess[]> {
  return Promise.all(Array.from({ length: count }, () => JobProcess.start({ ...options, url: server.url })));
}

async function runs(): Promise<readonly string[]> {
  return (await server.command('LRANGE', 'runs', 0, -1)) as string[];
}

/** Resolves when so many runs have ended. */
async function ended(count: number): Promise<void> {
  const done = async () => (await runs()).filter((entry) => entry.startsWith('end')).length >= count;
  await until(`${count} runs have ended`, done, 25_000);
}

/** The names of so many ticks, a second apart. */
function ticksFrom(time: number, count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) =>
    new Date(time + index * 1_000).toISOString().slice(14, 19),
  );
}

function anyOf(words: readonly string[]): RegExp {
  return new RegExp(`(?:${words.join('|')})$`);
}

function unhandled(processes: readonly JobProcess[]): readonly string[] {
  return processes.flatMap(({ events }) => events.filter((event) => event.startsWith('unhandled')));
}

describe('four processes with one job', () => {
  it('whose clocks differ by four seconds run each of twenty ticks once, in 5 ms (peers.md 22)', {
    timeout: 120_000,
  }, async () => {
    const job = { url: server.url, expression: EVERY_SECOND, work: 5 };
    const clocks = [-2_000, -700, 600, 2_000];
    const processes = await Promise.all(clocks.map((ahead) => JobProcess.start({ ...job, ahead })));
    // The first tick that no clock has come to yet.
    const first = Math.floor(Date.now() / 1_000) * 1_000 + 4_000;
    const ticks = ticksFrom(first, 20);
    // Each process has gone through all of them when it tells of a later one.
    const later = anyOf(ticksFrom(first + 20_000, 30));
    await Promise.all(processes.map((each) => each.seen(later)));
    const begun = (await runs()).filter((entry) => anyOf(ticks.map((tick) => `begin ${tick}`)).test(entry));
    expect(begun.toSorted()).toEqual(ticks.map((tick) => `begin ${tick}`).toSorted());
    const tellsOf = (word: string) => (each: JobProcess) =>
      each.events.filter((event) => event.startsWith(word)).length;
    for (const each of processes) expect(tellsOf('took')(each) + tellsOf('missed')(each)).toBeGreaterThan(10);
    expect(unhandled(processes)).toEqual([]);
  });
});

describe('when the process that runs a job', () => {
  it('is killed, the next tick runs elsewhere', async () => {
    const processes = await start(2, { expression: '*/5 * * * * *', work: 60_000 });
    const [running, other] = (await Promise.race(
      processes.map(async (each, index) => {
        await each.seen(/^runs/);
        return [each, processes[1 - index]];
      }),
    )) as [JobProcess, JobProcess];
    const tick = Number((await running.seen(/^runs/)).slice(-2));
    await running.kill();
    const next = await other.seen(/^runs|^overlap/);
    expect(next).toMatch(/^runs/);
    expect(Number(next.slice(-2))).toBe((tick + 5) % 60);
  });

  it('takes longer than the period, runs do not overlap', async () => {
    const processes = await start(3, { expression: EVERY_SECOND, work: 2_300 });
    await ended(3);
    expectNoOverlap(await runs());
    expect(processes.some(({ events }) => events.includes('overlap'))).toBe(true);
    expect(processes.flatMap(({ events }) => events).filter((event) => event.startsWith('error'))).toEqual(
      [],
    );
  });

  it('takes longer than the period and others wait for it, runs follow one another and do not overlap', async () => {
    await start(3, { expression: '*/2 * * * * *', work: 2_600, options: { onOverlap: 'wait' } });
    await ended(3);
    expectNoOverlap(await runs());
  });
});

describe('when Redis', () => {
  it('is gone at a tick, no job runs, that is an error in the log, and the process lives on', async () => {
    const [job] = (await start(1, { expression: EVERY_SECOND, work: 5 })) as [JobProcess];
    await job.seen(/^runs/);
    await server.kill();
    await job.seen(/^error LOCK_UNAVAILABLE/);
    await server.restart();
    await job.seen(/^runs/, job.events.length);
    expect(unhandled([job])).toEqual([]);
  });

  it('hangs at a tick, the same', async () => {
    const [job] = (await start(1, { expression: EVERY_SECOND, work: 5 })) as [JobProcess];
    await job.seen(/^runs/);
    server.pause();
    await job.seen(/^error LOCK_UNAVAILABLE/);
    server.resume();
    await job.seen(/^runs/, job.events.length);
    expect(unhandled([job])).toEqual([]);
  });
});

/** Each run ends before the next one begins. */
function expectNoOverlap(entries: readonly string[]): void {
  for (let index = 0; index + 1 < entries.length; index += 2) {
    expect(entries[index]).toMatch(/^begin/);
    expect(entries[index + 1]).toBe(entries[index]?.replace('begin', 'end'));
  }
}
