// An application over HTTP whose cache and locks are in one Redis. Its handlers wait at a gate, which is in Redis too.
import 'reflect-metadata';
import { createKeyv } from '@keyv/redis';
import { CacheModule, CacheTTL } from '@nestjs/cache-manager';
import { Controller, Get, Module, UseInterceptors } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Redis } from 'ioredis';
import { LockModule } from 'nestjs-distributed-lock';
import { LockedCache, LockedCacheInterceptor } from 'nestjs-distributed-lock/cache';
import { redisStore } from 'nestjs-distributed-lock/redis';

const [, , url] = process.argv;
const client = new Redis(url);
const atGate = new Redis(url);

let lastLoad;
function load() {
  lastLoad = client
    .incr('loads')
    .then(() => atGate.blpop('gate', 0))
    .then(() => ({ loadedBy: process.pid }));
  return lastLoad;
}

class ReportsController {
  report() {
    return load();
  }

  stale() {
    return load();
  }
}
const decorate = (method, ...decorators) => {
  const descriptor = Object.getOwnPropertyDescriptor(ReportsController.prototype, method);
  for (const decorator of decorators) decorator(ReportsController.prototype, method, descriptor);
};
decorate('report', Get('report'), LockedCache({ lockTtl: '2s', wait: '25s' }));
decorate('stale', Get('stale'), CacheTTL(50), LockedCache({ staleFor: '1m' }));
UseInterceptors(LockedCacheInterceptor)(ReportsController);
Controller()(ReportsController);

class AppModule {}
Module({
  imports: [
    CacheModule.register({ stores: [createKeyv(url)], ttl: 60_000 }),
    LockModule.forRoot({ store: redisStore({ url }), shutdownTimeout: '300ms' }),
  ],
  controllers: [ReportsController],
})(AppModule);

const app = await NestFactory.create(AppModule, { logger: false, forceCloseConnections: true });
app.use(async (_request, _response, next) => {
  await client.incr('arrived');
  next();
});
await app.listen(0, '127.0.0.1');

async function close() {
  await app.close();
  await client.lpush('gate', 'open'); // what was still being loaded ends now, when the cache is closed
  await lastLoad;
  client.disconnect();
  atGate.disconnect();
  process.disconnect(); // from now on nothing should keep this process alive
}

process.once('message', () => void close());
process.on('unhandledRejection', (error) => {
  console.error(error);
  process.exit(7);
});
process.send(await app.getUrl());
