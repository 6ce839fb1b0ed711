import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { RedisServer } from '../support/redis/redis-server.js';

const SCRIPT = fileURLToPath(new URL('./children/fenced-writer.mjs', import.meta.url));

let server: RedisServer;

beforeAll(async () => {
  server = await RedisServer.start();
});
beforeEach(() => server.command('FLUSHALL'));
afterAll(() => server.stop());

/** A process that holds the lock, and writes with the recipe of `docs/fencing.md`, or without a fence. */
function startWriter(name: string, how: 'fenced' | 'plain'): ChildProcess {
  const writer = fork(SCRIPT, [server.url, name, how]);
  onTestFinished(() => void writer.kill('SIGKILL'));
  return writer;
}

async function tokenOf(writer: ChildProcess): Promise<number> {
  const [{ token }] = (await once(writer, 'message')) as [{ token: number }];
  return token;
}

/** Has it write, and tells how its locked call ended. */
async function endOf(writer: ChildProcess): Promise<string> {
  const told = once(writer, 'message');
  writer.send('write');
  const [{ end }] = (await told) as [{ end: string }];
  return end;
}

/** The first is stopped for longer than its lease lasts, and the second has written when the first goes on. */
async function oneAfterTheOther(how: 'fenced' | 'plain') {
  const first = startWriter('first', how);
  const firstToken = await tokenOf(first);
  first.kill('SIGSTOP');
  const second = startWriter('second', how);
  const secondToken = await tokenOf(second);
  const secondEnd = await endOf(second);
  const firstEnds = endOf(first);
  first.kill('SIGCONT');
  return { firstToken, secondToken, secondEnd, firstEnd: await firstEnds };
}

const row = async () => server.command('HMGET', 'row', 'value', 'fence');

describe('a holder that is stopped past its ttl', () => {
  it('writes too late: its write is refused, and its call fails', async () => {
    const { firstToken, secondToken, secondEnd, firstEnd } = await oneAfterTheOther('fenced');
    expect(secondToken).toBeGreaterThan(firstToken);
    expect(secondEnd).toBe('written');
    expect(firstEnd).toBe('StaleWriteError');
    expect(await row()).toEqual(['second', String(secondToken)]);
  });

  it('undoes the work of the next one where nothing is fenced, and learns of it afterwards', async () => {
    const { secondEnd, firstEnd } = await oneAfterTheOther('plain');
    expect(secondEnd).toBe('written');
    expect(firstEnd).toBe('LockLostError');
    expect(await row()).toEqual(['first', null]);
  });
});
