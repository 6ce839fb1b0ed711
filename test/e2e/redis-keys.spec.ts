import { Cluster } from 'ioredis';
import { afterAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { RedisKeys } from '../../lib/stores/redis/redis-keys.js';
import { openLocks } from '../support/redis/open-locks.js';
import { RedisServer } from '../support/redis/redis-server.js';
import { until } from '../support/redis/until.js';

/** One server that is a whole cluster: it checks slots as any other would. */
const server = await RedisServer.start({
  args: ['--cluster-enabled', 'yes', '--cluster-announce-ip', '127.0.0.1'],
});
await server.command('CLUSTER', 'ADDSLOTSRANGE', 0, 16_383);
await until('the cluster is ok', async () =>
  String(await server.command('CLUSTER', 'INFO')).includes('cluster_state:ok'),
);
const raw = server.client();
afterAll(() => server.stop());
beforeEach(() => raw.flushall());

const KEYS = ['order:1', '{user:7}:cart', 'cart:{user:7}', 'a{b', '{a', 'a b|c*?[d]', 'ключ', 'order:fence'];

describe.each([
  { keyPrefix: 'lock:', clientPrefix: '' },
  { keyPrefix: '', clientPrefix: '' },
  { keyPrefix: 'my|lock ', clientPrefix: '' },
  { keyPrefix: 'lock:', clientPrefix: 'app:' },
  { keyPrefix: 'lock:', clientPrefix: '{app}:' },
])(
  'in a cluster, with keyPrefix "$keyPrefix" and a client with "$clientPrefix"',
  ({ keyPrefix, clientPrefix }) => {
    const names = new RedisKeys(keyPrefix, clientPrefix, true);
    const allowed = KEYS.filter((key) => !(clientPrefix.includes('{') && key.endsWith(':fence')));

    function open() {
      const client = new Cluster([{ host: '127.0.0.1', port: server.port }], { keyPrefix: clientPrefix });
      onTestFinished(() => client.disconnect());
      return openLocks({ client, keyPrefix });
    }

    it('all keys of a lock lie in the slot of the lock, as Redis reckons it', async () => {
      for (const key of allowed) {
        const slots = await Promise.all(
          names.of(key).map((name) => raw.call('CLUSTER', 'KEYSLOT', clientPrefix + name)),
        );
        expect(new Set(slots).size, key).toBe(1);
      }
    });

    it.each([{}, { mode: 'shared' }, { permits: 2 }] as const)(
      'every key is locked and handed on: %j',
      async (options) => {
        const { locks, log } = await open();
        for (const [index, key] of allowed.entries()) {
          const holds = await Promise.all(
            Array.from({ length: 'permits' in options ? 2 : 1 }, () => locks.acquire(key, options)),
          );
          expect(await raw.exists(clientPrefix + keyPrefix + key), key).toBe(1);
          const waiting = locks.acquire(key, 'permits' in options ? options : {});
          await log.seen('onWaiting', index + 1);
          expect((await locks.inspect(key))?.waiters).toHaveLength(1);
          await Promise.all(holds.map((hold) => hold.release()));
          expect(await (await waiting).release(), key).toBe(true);
        }
        // Nothing is left but the fences, which expire.
        const left = (await raw.keys('*')).filter((name) => !name.endsWith(':fence'));
        expect(left).toEqual([]);
      },
    );

    it('lists every key by its own name', async () => {
      const { locks } = await open();
      for (const key of allowed) await locks.acquire(key);
      const listed: string[] = [];
      for await (const { key } of locks.list()) listed.push(key);
      expect(listed.sort()).toEqual([...allowed].sort());
    });
  },
);

it('a key that would be torn apart is refused in a cluster', async () => {
  const client = new Cluster([{ host: '127.0.0.1', port: server.port }]);
  onTestFinished(() => client.disconnect());
  const { locks } = await openLocks({ client });
  await expect(locks.acquire('a}b')).rejects.toMatchObject({ code: 'LOCK_KEY', key: 'a}b' });
});
