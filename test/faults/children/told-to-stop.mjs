// Works inside a lock when the signal comes, and finishes what it does.
import 'reflect-metadata';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { LockModule, LockService, memoryStore } from 'nestjs-distributed-lock';

class AppModule {}
Module({ imports: [LockModule.forRoot({ store: memoryStore() })] })(AppModule);
const app = await NestFactory.createApplicationContext(AppModule, { logger: false });
app.enableShutdownHooks();
const locks = app.get(LockService);
const alive = setInterval(() => {}, 1_000);

process.once('SIGTERM', () => console.log('told'));
await locks.run('k', async () => {
  const other = await locks.acquire('other');
  void locks.acquire('other', { wait: '1h' }).catch(({ code }) => console.log('waiter:', code));
  console.log('working');
  await new Promise((resolve) => process.once('SIGTERM', resolve));
  await new Promise((resolve) => setTimeout(resolve, 100));
  await other.release();
  console.log('finished');
});
clearInterval(alive);
