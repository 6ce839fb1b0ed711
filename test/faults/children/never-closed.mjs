// Uses locks and never closes the application: one released, one still held, one still waited for.
import 'reflect-metadata';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { LockModule, LockService, memoryStore } from 'nestjs-distributed-lock';

class AppModule {}
Module({ imports: [LockModule.forRoot({ store: memoryStore() })] })(AppModule);
const app = await NestFactory.createApplicationContext(AppModule, { logger: false });
const locks = app.get(LockService);

const released = await locks.acquire('released', { ttl: '1h' });
console.log('released:', await released.release());
await locks.acquire('held', { ttl: '1h' });
void locks.acquire('held', { wait: '1h' }).then(() => console.log('granted'));
console.log('done');
