// Holds, waits, gives up, loses, shuts down; then tells what is left of it, and has nothing that keeps it alive.
import 'reflect-metadata';
import { createHook } from 'node:async_hooks';
import { getEventListeners } from 'node:events';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { LockModule, LockService, memoryStore } from 'nestjs-distributed-lock';

// The timers of locks keep no process alive: while it waits for them, this one does.
const alive = setInterval(() => {}, 1_000);
/** Those of the library, also where they keep nothing alive. */
const timers = new Set();
Error.stackTraceLimit = 50;
createHook({
  init(id, type) {
    if (type === 'Timeout' && new Error('made here').stack.includes('/dist/lib/')) timers.add(id);
  },
  destroy: (id) => timers.delete(id),
}).enable();

const processListeners = () =>
  process.eventNames().reduce((count, event) => count + process.listenerCount(event), 0);
const listenersBefore = processListeners();

class AppModule {}
Module({ imports: [LockModule.forRoot({ store: memoryStore() })] })(AppModule);
const app = await NestFactory.createApplicationContext(AppModule, { logger: false });
const locks = app.get(LockService);
const codeOf = (promise) =>
  promise.then(
    () => 'ok',
    (error) => (error.name === 'AbortError' ? error.name : error.code),
  );

const hold = await locks.acquire('k', { ttl: '1h' });
const granted = locks.acquire('k', { ttl: '1h' });
const giveUp = new AbortController();
const gaveUp = codeOf(locks.acquire('k', { signal: giveUp.signal, wait: '1h' }));
giveUp.abort();
console.log('gave up:', await gaveUp);
console.log('timed out:', await codeOf(locks.acquire('k', { wait: 20 })));
await hold.release();
const next = await granted;
console.log('extended:', await codeOf(next.extend('2h')));
const turnedAway = codeOf(locks.acquire('k', { wait: '1h' }));
const lost = await locks.acquire('lost', { ttl: 20, renew: false });
await new Promise((resolve) => lost.signal.addEventListener('abort', resolve));
console.log('lost:', lost.signal.reason.reason);
const working = locks.run('work', () => new Promise((resolve) => setTimeout(() => resolve('done'), 50)));
setTimeout(() => void next.release(), 50);
await app.close();
console.log('turned away:', await turnedAway);
console.log('worked:', await working);

// Everything here was for hours; what serves many calls may go a moment later than the last of them.
for (let tries = 0; timers.size > 0 && tries < 60; tries += 1) {
  await new Promise((resolve) => setTimeout(resolve, 50));
}
clearInterval(alive);
console.log('timers:', timers.size);
console.log('listeners:', getEventListeners(giveUp.signal, 'abort').length);
console.log('process listeners:', processListeners() - listenersBefore);
