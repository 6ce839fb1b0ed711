// Holds a lock, and writes when it is told to, whatever has become of the lock meanwhile.
import 'reflect-metadata';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Redis } from 'ioredis';
import { currentLock, LockModule, LockService } from 'nestjs-distributed-lock';
import { redisStore } from 'nestjs-distributed-lock/redis';

const [, , url, name, how] = process.argv;
const redis = new Redis(url);
const recipes = readFileSync(new URL('../../../docs/fencing.md', import.meta.url), 'utf8');
const [, script] = /```lua\n(.*?)```/s.exec(recipes);

class StaleWriteError extends Error {
  name = 'StaleWriteError';
}

const writes = {
  async fenced(token) {
    const newer = await redis.eval(script, 1, 'row', name, token);
    if (newer !== null) throw new StaleWriteError(`token ${token} is older than ${Number(newer)}`);
  },
  async plain() {
    await redis.hset('row', 'value', name);
  },
};

class AppModule {}
Module({ imports: [LockModule.forRoot({ store: redisStore({ url }) })] })(AppModule);
const app = await NestFactory.createApplicationContext(AppModule, { logger: false });

async function hold() {
  const { fencingToken } = currentLock();
  const told = once(process, 'message');
  process.send({ token: fencingToken });
  await told;
  await writes[how](fencingToken);
}

const options = { ttl: 500, wait: '20s' };
const end = await app
  .get(LockService)
  .run('order:1', hold, options)
  .then(
    () => 'written',
    (error) => error.name,
  );
process.send({ end });
redis.disconnect();
await app.close();
process.disconnect();
