import { redisStore } from 'nestjs-distributed-lock/redis';
import { withLocks } from '../contenders/locks.app.js';
import { ourStore, ours, oursByRun } from '../contenders/ours.contenders.js';

import { type Throughput, throughputOf } from '../contenders/throughput.js';
import type { Finding } from '../harness/benchmark.js';
import { peers } from './contenders/peers.contenders.js';
import { raw } from './contenders/raw.contender.js';
import { withRedis } from './redis.app.js';

/** Keys taken and released by all contenders through one client; the value is our share of the raw rate. */
export function throughputOfRaw(throughput: Throughput): Promise<Finding> {
  return withRedis(async (server) => {
    const client = server.client();
    return withLocks(redisStore({ client }), async (locks) => {
      const bare = await raw(client);
      const contenders = [
        bare,
        ours(locks),
        oursByRun(locks),
        ourStore(redisStore({ client })),
        ...(await peers(client)),
      ];
      return throughputOf({ name: bare.name, unit: '× raw' }, contenders, throughput);
    });
  });
}
