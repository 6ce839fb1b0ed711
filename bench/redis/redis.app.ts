import { RedisServer } from '../../test/support/redis/redis-server.js';

/** Runs a measurement against a Redis server of its own. */
export async function withRedis<R>(measure: (server: RedisServer) => Promise<R>): Promise<R> {
  const server = await RedisServer.start();
  try {
    return await measure(server);
  } finally {
    await server.stop();
  }
}
