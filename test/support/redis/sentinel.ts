import { type RedisConnection, RedisServer } from './redis-server.js';
import { until } from './until.js';

const NAME = 'locks';
const SENTINELS = 3;
const QUORUM = 2;
const DOWN_AFTER = 1_000;
/**
 * Well below `DOWN_AFTER`: sentinels count from before the first ping, and would depose healthy masters.
 * Well above 200: they promote only replicas that they asked within five periods, and ask once a second.
 */
const PING_PERIOD = 400;

export interface RedisSentinel {
  /** The name under which the sentinels know the master. */
  readonly name: string;
  /** Where the sentinels are, as ioredis wants it. */
  readonly sentinels: readonly { readonly host: string; readonly port: number }[];
  /** What a client of ioredis needs: `new Redis(sentinel.connection)`. */
  readonly connection: RedisConnection;
  /** The first master, then its replicas. Roles move with every fail-over. */
  readonly servers: readonly RedisServer[];
  readonly sentinelServers: readonly RedisServer[];
  /** The server that the sentinels call the master now. */
  master(): Promise<RedisServer>;
  /** Resolves when the sentinels have made another server than this the master. */
  failedOver(from: RedisServer): Promise<RedisServer>;
  stop(): Promise<void>;
}

/** One master, replicas and three sentinels that fail over within about two seconds. */
export async function startSentinel({ replicas = 2 } = {}): Promise<RedisSentinel> {
  const first = await RedisServer.start();
  const followers = await Promise.all(
    Array.from({ length: replicas }, () =>
      RedisServer.start({ args: ['--replicaof', '127.0.0.1', String(first.port)] }),
    ),
  );
  const sentinelServers = await Promise.all(
    Array.from({ length: SENTINELS }, () =>
      RedisServer.start({ args: ['--sentinel'], files: { 'redis.conf': sentinelConfig(first.port) } }),
    ),
  );
  const servers = [first, ...followers];
  const sentinels = sentinelServers.map(({ port }) => ({ host: '127.0.0.1', port }));

  const master = async () => {
    const sentinel = sentinelServers.find(({ alive }) => alive);
    if (!sentinel) throw new Error('no sentinel is alive');
    const address = await sentinel.command('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', NAME);
    const port = Number((address as readonly string[])[1]);
    const found = servers.find((server) => server.port === port);
    if (!found) throw new Error(`the sentinels name an unknown master on port ${port}`);
    return found;
  };

  await Promise.all(sentinelServers.map((sentinel) => usable(sentinel, replicas)));
  await until(`${replicas} replicas are online`, async () => {
    const info = String(await first.command('INFO', 'replication'));
    return (info.match(/state=online/g) ?? []).length === replicas;
  });

  return {
    name: NAME,
    sentinels,
    connection: { sentinels: [...sentinels], name: NAME },
    servers,
    sentinelServers,
    master,
    failedOver: async (from) => {
      await until('another server is the master', async () => {
        const now = await master();
        // The sentinels name the new master before it knows.
        return now !== from && String(await now.command('INFO', 'replication')).includes('role:master');
      });
      return master();
    },
    stop: async () => {
      // Sentinels first: else they would begin a fail-over.
      await Promise.all(sentinelServers.map((server) => server.stop()));
      await Promise.all(servers.map((server) => server.stop()));
    },
  };
}

function sentinelConfig(masterPort: number): string {
  return [
    `sentinel monitor ${NAME} 127.0.0.1 ${masterPort} ${QUORUM}`,
    `sentinel down-after-milliseconds ${NAME} ${DOWN_AFTER}`,
    `sentinel failover-timeout ${NAME} 2000`,
    `sentinel parallel-syncs ${NAME} 3`,
  ].join('\n');
}

/** Resolves when a sentinel has found the others and every replica. */
async function usable(sentinel: RedisServer, replicas: number): Promise<void> {
  const periods = { 'PING-PERIOD': PING_PERIOD, 'INFO-PERIOD': 200, 'PUBLISH-PERIOD': 100 };
  await sentinel.command('SENTINEL', 'DEBUG', ...Object.entries(periods).flat());
  await until('the sentinels know each other and the replicas', async () => {
    const quorum = String(await sentinel.command('SENTINEL', 'CKQUORUM', NAME));
    const known = (await sentinel.command('SENTINEL', 'REPLICAS', NAME)) as readonly unknown[];
    return quorum.includes(`${SENTINELS} usable`) && known.length === replicas;
  });
}
