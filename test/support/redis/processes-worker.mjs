// A process with locks on a Redis of its parent, which tells it what to do and is told what happens.
import 'reflect-metadata';
import { setImmediate as turn } from 'node:timers/promises';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Cluster, Redis } from 'ioredis';
import { currentLock, LockModule, LockService } from 'nestjs-distributed-lock';
import { redisStore } from 'nestjs-distributed-lock/redis';
import { redlockStore } from 'nestjs-distributed-lock/redlock';

/** The address of a server, the nodes of a cluster, or the addresses of independent servers. */
const { url, cluster, redlock } = JSON.parse(process.argv[2]);
const clients = cluster ? [new Cluster(cluster)] : (redlock ?? [url]).map((address) => new Redis(address));
for (const client of clients) client.on('error', () => {}); // a server may be made to fail
const [client] = clients;

function openStore() {
  if (redlock) return redlockStore({ clients });
  return redisStore(cluster ? { client } : { url });
}

const tell = (event) => process.connected && process.send(event);
const observer = {
  onWaiting: ({ key }) => tell({ event: 'waiting', key }),
  onAcquired: ({ key }) => tell({ event: 'acquired', key }),
  onLost: ({ key, reason }) => tell({ event: `lost: ${reason}`, key }),
};

class AppModule {}
Module({
  imports: [LockModule.forRoot({ store: openStore(), observers: [observer] })],
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
    for (const each of clients) each.disconnect();
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
