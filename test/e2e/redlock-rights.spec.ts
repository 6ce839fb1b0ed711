import { expect, it, onTestFinished } from 'vitest';
import { LockService } from '../../lib/index.js';
import { redlockStore } from '../../lib/stores/redlock/index.js';
import { RedlockServers } from '../support/redis/redlock-servers.js';
import { until } from '../support/redis/until.js';

/** As docs/stores.md has them. */
const COMMANDS =
  'evalsha eval set get del incr pttl pexpire time info ping scan publish pubsub subscribe unsubscribe';
const RIGHTS = [
  '~lock:*',
  '~{lock:*',
  '&lock:*:freed',
  ...COMMANDS.split(' ').map((command) => `+${command}`),
];

it('a user with the rights that are documented can do everything, and tries nothing else', async () => {
  const nodes = await RedlockServers.start(3);
  onTestFinished(() => nodes.stop());
  for (const server of nodes.servers) {
    await server.command('ACL', 'SETUSER', 'locks', 'on', '>secret', '-@all', 'resetchannels', ...RIGHTS);
  }
  const open = () => {
    const warnings: string[] = [];
    const clients = nodes.clients({ username: 'locks', password: 'secret' });
    const store = redlockStore({ clients, onWarning: (message) => warnings.push(message) });
    onTestFinished(() => store.close());
    return { store, warnings, locks: new LockService({ store }) };
  };
  const [one, other] = [open(), open()];

  const hold = await one.locks.acquire('key');
  await hold.extend();
  const waiting = other.locks.acquire('key');
  const channels = async () => (await nodes.at(0).command('PUBSUB', 'CHANNELS')) as readonly string[];
  await until('the wait is heard of', async () => (await channels()).includes('lock:key:freed'));
  expect(await one.locks.inspect('key')).toMatchObject({ holders: [{ fencingToken: hold.fencingToken }] });
  for await (const { key } of one.locks.list()) expect(key).toBe('key');
  expect(await hold.release()).toBe(true);
  expect(await (await waiting).release()).toBe(true);
  await other.locks.forceRelease('key');
  await one.store.ping();

  expect([...one.warnings, ...other.warnings]).toEqual([]);
  for (const server of nodes.servers) expect(await server.command('ACL', 'LOG')).toEqual([]);
});
