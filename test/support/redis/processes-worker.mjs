// A process with locks on a Redis of its parent, which tells it what to do and is told what happens.
import 'reflect-metadata';
import { setImmediate as turn } from 'node:timers/promises';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Cluster, Redis } from 'ioredis';
import { currentLock, LockModule, LockService } from 'nestjs-distributed-lock';
import { redisStore } from 'nestjs-distributed-lock/redis';

/** An address, or the nodes of a cluster. */
const [, , target] = process.argv;
const nodes = target.startsWith('[') && JSON.parse(target);
const client = nodes ? new Cluster(nodes) : new Redis(target);
client.on('error', () => {}); // a server may be made to fail
const tell = (event) => process.connected && process.send(event);
const observer = {
  onWaiting: ({ key }) => tell({ event: 'waiting', key }),
  onAcquired: ({ key }) => tell({ event: 'acquired', key }),
  onLost: ({ key, reason }) => tell({ event: `lost: ${reason}`, key }),
};

class AppModule {}
Module({
  imports: [
    LockModule.forRoot({ store: redisStore(nodes ? { client } : { url: target }), observers: [observer] }),
  ],
})(AppModule);
const app = await NestFactory.createApplicationContext(AppModule, { logger: false });
const locks = app.get(LockService);
const holds = new Map();

const methods = {
  async acquire(key, options) {
    const hold = await locks.acquire(key, options);
    holds.set(key, hold);
    return hold.fencingToken;
  },
  release: (key) => holds.get(key).release(),
  /** Takes the lock, writes its mark down, and lets go. */
  async pass(key, list, mark) {
    await locks.run(key, () => client.rpush(list, mark), { wait: '20s' });
  },
  /** Adds one to a counter again and again, in two steps that only a lock keeps together, and writes its tokens down. */
  async count(key, counter, times) {
    for (let index = 0; index < times; index += 1) {
      await locks.run(
        key,
        async () => {
          const value = Number(await client.get(counter));
          await turn();
          await client.set(counter, value + 1);
          await client.rpush(`${counter}:tokens`, currentLock().fencingToken);
        },
        { wait: '25s' },
      );
    }
  },
  async close() {
    client.disconnect();
    await app.close();
    process.disconnect();
  },
};

async function answer({ call, method, args }) {
  try {
    tell({ call, result: await methods[method](...args) });
  } catch (error) {
    tell({ call, error: `${error.code}: ${error.message}` });
  }
}

process.on('message', (message) => void answer(message));
process.on('unhandledRejection', (error) => tell({ event: 'unhandled', key: String(error) }));
tell({ event: 'ready', key: '' });
