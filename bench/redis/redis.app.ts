import { NestFactory } from '@nestjs/core';
import type { Redis } from 'ioredis';
import { LockModule, LockService } from 'nestjs-distributed-lock';
import { redisStore } from 'nestjs-distributed-lock/redis';
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

export interface LocksApp {
  readonly locks: LockService;
  close(): Promise<void>;
}

/** A Nest application whose locks use this client. */
export async function openLocks(client: Redis): Promise<LocksApp> {
  const module = LockModule.forRoot({ store: redisStore({ client }) });
  const app = await NestFactory.createApplicationContext(module, { logger: false });
  return { locks: app.get(LockService), close: () => app.close() };
}

export async function withLocks<R>(client: Redis, measure: (locks: LockService) => Promise<R>): Promise<R> {
  const { locks, close } = await openLocks(client);
  try {
    return await measure(locks);
  } finally {
    await close();
  }
}
