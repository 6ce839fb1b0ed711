// An instance of an application with one job, on a Redis of its parent, which is told what happens.
import 'reflect-metadata';
import { setTimeout } from 'node:timers/promises';
import { Injectable, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ScheduleModule } from '@nestjs/schedule';
import { Redis } from 'ioredis';
import { LockModule } from 'nestjs-distributed-lock';
import { redisStore } from 'nestjs-distributed-lock/redis';
import { LockedCron } from 'nestjs-distributed-lock/schedule';

const { url, expression, options, work } = JSON.parse(process.argv[2]);
const client = new Redis(url);
client.on('error', () => {}); // a server may be made to fail
const tell = (event) => process.connected && process.send(event);

/** The tick that was taken last: the next run is its. */
let tick;
const tickIn = (key) => key.split('@')[1];
const observer = {
  onAcquired({ key }) {
    if (!tickIn(key)) return;
    tick = tickIn(key);
    tell(`took ${tick}`);
  },
  onBusy: ({ key }) => tell(tickIn(key) ? `missed ${tickIn(key)}` : 'overlap'),
};

class Jobs {
  async run() {
    const mine = tick;
    await client.rpush('runs', `begin ${mine}`);
    tell(`runs ${mine}`);
    await setTimeout(work);
    await client.rpush('runs', `end ${mine}`);
  }
}
const method = Object.getOwnPropertyDescriptor(Jobs.prototype, 'run');
LockedCron(expression, options)(Jobs.prototype, 'run', method);
Object.defineProperty(Jobs.prototype, 'run', method);
Injectable()(Jobs);

class AppModule {}
Module({
  imports: [
    ScheduleModule.forRoot(),
    LockModule.forRoot({ store: redisStore({ url }), observers: [observer] }),
  ],
  providers: [Jobs],
})(AppModule);

process.on('unhandledRejection', (error) => tell(`unhandled ${error}`));
const silent = () => {};
const logger = { log: silent, warn: silent, debug: silent, error: (error) => tell(`error ${error.code}`) };
await NestFactory.createApplicationContext(AppModule, { logger });
tell('ready');
