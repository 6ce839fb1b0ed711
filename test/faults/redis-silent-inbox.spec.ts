import { Redis, type RedisOptions } from 'ioredis';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { type Clock, systemClock } from '../../lib/base/clock.js';
import { FaultProxy } from '../support/fault-proxy.js';
import { locksOn } from '../support/redis/locks.js';
import { RedisServer } from '../support/redis/redis-server.js';
import { until } from '../support/redis/until.js';

let server: RedisServer;

beforeAll(async () => {
  server = await RedisServer.start();
});

afterAll(() => server.stop());

/** Timers run twenty times as fast, so that the test need not wait for real heartbeats. */
const hasty: Clock = {
  ...systemClock,
  setTimer: (callback, delay) => systemClock.setTimer(callback, delay / 20),
};

/** A client whose subscriber goes another way than itself. */
class TwoWays extends Redis {
  constructor(
    port: number,
    private readonly subscriberPort: number,
  ) {
    super(port, '127.0.0.1');
  }

  override duplicate(settings: Partial<RedisOptions> = {}): Redis {
    return super.duplicate({ ...settings, port: this.subscriberPort });
  }
}

it('an inbox whose connection has died silently is opened anew, long before a lease ends', async () => {
  const proxy = await FaultProxy.start(server.port);
  onTestFinished(() => proxy.close());
  const client = new TwoWays(server.port, proxy.port);
  onTestFinished(() => client.disconnect());
  const holder = locksOn({ url: server.url });
  const waiter = locksOn({ client, clock: hasty }, 60_000);

  const hold = await holder.locks.acquire('key', { ttl: '20m' });
  const waiting = waiter.locks.acquire('key', { wait: '20m' });
  await until('it stands in line', async () => (await holder.locks.inspect('key'))?.waiters.length === 1);
  proxy.forget();
  await hold.release(); // the message is lost on its way
  const next = await waiting;
  expect(next.fencingToken).toBeGreaterThan(hold.fencingToken);
});
