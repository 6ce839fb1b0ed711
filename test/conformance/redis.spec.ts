import { Cluster, Redis } from 'ioredis';
import { Redis as Redis5 } from 'ioredis-5';
import { afterAll, describe, it } from 'vitest';
import { type RedisStoreOptions, redisStore } from '../../lib/stores/redis/index.js';
import { lockStoreConformance } from '../../lib/testing/index.js';
import { RedisCluster } from '../support/redis/cluster.js';
import { ownersIn } from '../support/redis/owners.js';
import { RedisServer } from '../support/redis/redis-server.js';
import { startSentinel } from '../support/redis/sentinel.js';

const [server, sentinel, cluster] = await Promise.all([
  RedisServer.start(),
  startSentinel(),
  RedisCluster.start(),
]);
const nodes = cluster.servers.map(({ port }) => ({ host: '127.0.0.1', port }));
const clients = {
  standalone: new Redis(server.url),
  ioredis5: new Redis5(server.url) as unknown as Redis,
  sentinel: new Redis({ ...sentinel.connection }),
  cluster: new Cluster(nodes),
};

afterAll(async () => {
  for (const client of Object.values(clients)) client.disconnect();
  await Promise.all([server.stop(), sentinel.stop(), cluster.stop()]);
});

function conforms(name: string, client: Redis | Cluster, options: RedisStoreOptions): void {
  describe(name, () => {
    lockStoreConformance({
      describe,
      it,
      open: () => redisStore(options),
      capabilities: {
        fencing: true,
        fair: true,
        shared: true,
        permits: true,
        minHold: true,
        scope: 'network',
      },
      rawOwners: (key) => ownersIn(client, key),
    });
  });
}

conforms('redis, by its address', clients.standalone, { url: server.url });
conforms('redis, with a client of ioredis 5', clients.standalone, { client: clients.ioredis5 });
conforms('redis behind sentinels', clients.sentinel, { client: clients.sentinel });
conforms('redis cluster', clients.cluster, { client: clients.cluster });
