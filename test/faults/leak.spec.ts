import { it } from 'vitest';
import { RedisServer } from '../support/redis/redis-server.js';

it('x', async () => {
  await RedisServer.start();
  if (process.env.HANG) await new Promise(() => {});
});
