import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Database } from '../../sample-app/database/database.js';
import { FENCED_WRITE } from '../../sample-app/database/fenced-write.lua.js';
import { MemoryDatabase } from '../../sample-app/database/memory.database.js';
import { RedisDatabase } from '../../sample-app/database/redis.database.js';
import { StaleWriteError } from '../../sample-app/database/stale-write.error.js';
import { RedisServer } from '../support/redis/redis-server.js';

/** As large as tokens are: a double must not round them. */
const TOKEN = 1_790_000_000_000_001;

let server: RedisServer;
let redisDatabase: RedisDatabase;

beforeAll(async () => {
  server = await RedisServer.start();
  redisDatabase = new RedisDatabase(server.url);
});
afterAll(async () => {
  redisDatabase.onApplicationShutdown();
  await server.stop();
});

describe.each([
  ['in memory', () => new MemoryDatabase()],
  ['in Redis', () => redisDatabase],
] as const)("the sample's database %s", (_, open) => {
  let database: Database;
  beforeEach(async () => {
    await server.command('FLUSHALL');
    database = open();
  });

  it('takes a larger token, and an equal one: the same holder writes again', async () => {
    await database.writeFenced('order:1', 'paid', TOKEN);
    await database.writeFenced('order:1', 'packed', TOKEN);
    await database.writeFenced('order:1', 'shipped', TOKEN + 1);
    expect(await database.read('order:1')).toBe('shipped');
  });

  it('refuses a smaller token, and changes nothing', async () => {
    await database.writeFenced('order:1', 'cancelled', TOKEN);
    const late = database.writeFenced('order:1', 'shipped', TOKEN - 1);
    await expect(late).rejects.toThrow(
      new StaleWriteError('order:1', TOKEN - 1, TOKEN), // compared by its message, which names both
    );
    expect(await database.read('order:1')).toBe('cancelled');
    await database.writeFenced('order:1', 'open', TOKEN);
  });

  it('keeps the fence when something is written without one', async () => {
    await database.writeFenced('stock:lamp', 10, TOKEN);
    await database.write('stock:lamp', 9);
    await expect(database.writeFenced('stock:lamp', 10, TOKEN - 1)).rejects.toThrow(StaleWriteError);
    expect(await database.read('stock:lamp')).toBe(9);
  });

  it('has the last holder win, in whatever order writes come', async () => {
    const writes = [3, 1, 4, 0, 2].map((number) => database.writeFenced('row', number, TOKEN + number));
    const refused = (await Promise.allSettled(writes)).map(({ status }) => status === 'rejected');
    expect(await database.read('row')).toBe(4);
    expect(refused).toEqual([false, true, false, true, true]);
  });

  it('fences each row by itself', async () => {
    await database.writeFenced('order:1', 'shipped', TOKEN);
    await database.writeFenced('order:2', 'shipped', TOKEN - 1);
    expect(await database.read('order:2')).toBe('shipped');
  });

  it('counts in one step', async () => {
    const counts = await Promise.all([1, 2, 3].map(() => database.increment('loads')));
    expect([...counts].sort((a, b) => a - b)).toEqual([1, 2, 3]);
    expect(await database.count('loads')).toBe(3);
    expect(await database.count('none')).toBe(0);
  });
});

it('is the recipe that docs/fencing.md gives', () => {
  const recipes = readFileSync(new URL('../../docs/fencing.md', import.meta.url), 'utf8');
  expect(recipes).toContain(`\`\`\`lua${FENCED_WRITE}\`\`\``);
});
