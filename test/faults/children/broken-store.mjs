// The store fails in every way, in the background too: nothing of it may become an unhandled rejection.
import 'reflect-metadata';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { LockModule, LockService, memoryStore } from 'nestjs-distributed-lock';

for (const event of ['unhandledRejection', 'uncaughtException', 'warning']) {
  process.on(event, (error) => console.log(`${event}:`, error));
}

// The timers of locks keep no process alive: while it waits for them, this one does.
const alive = setInterval(() => {}, 1_000);
/** How every call of the store fails; none while undefined. */
let fail;
const memory = memoryStore();
const store = new Proxy(memory, {
  get(target, name) {
    const value = target[name];
    if (typeof value !== 'function') return value;
    return (...args) => (fail && name !== 'close' ? fail() : value.apply(target, args));
  },
});
const failures = {
  rejecting: () => Promise.reject(new Error('rejected')),
  throwing: () => {
    throw new Error('thrown');
  },
  silent: () => new Promise(() => {}),
};
const observer = { onError: () => Promise.reject(new Error('the observer fails too')) };

class AppModule {}
Module({ imports: [LockModule.forRoot({ store, observers: [observer], storeTimeout: 30 })] })(AppModule);
const app = await NestFactory.createApplicationContext(AppModule, { logger: false });
const locks = app.get(LockService);

for (const [how, failure] of Object.entries(failures)) {
  const kept = await locks.acquire(`${how}:kept`, { ttl: 200 });
  const dropped = await locks.acquire(`${how}:dropped`, { ttl: 200 });
  const both = await locks.acquire([`${how}:a`, `${how}:b`], { ttl: 200 });
  const lost = new Promise((resolve) => kept.signal.addEventListener('abort', resolve));
  void both.signal;
  fail = failure;
  void locks.acquire(`${how}:new`, { wait: 20 }).catch(({ code }) => console.log(how, 'acquire:', code));
  await kept.extend().catch(({ code }) => console.log(how, 'extend:', code));
  console.log(how, 'release:', await dropped.release());
  void both[Symbol.asyncDispose]();
  await lost;
  console.log(how, 'lost:', kept.signal.reason.reason, await kept.release());
  if (how !== 'silent') fail = undefined;
}
void locks.run('last', () => {}).catch(() => {});
await app.close();
console.log('closed');
clearInterval(alive);
