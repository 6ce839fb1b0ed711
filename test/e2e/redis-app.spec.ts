import { Injectable, type Type } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { Redis } from 'ioredis';
import { afterAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { currentLock, DistributedLock, LockModule, type LockStore } from '../../lib/index.js';
import { redisStore } from '../../lib/stores/redis/index.js';
import { deferred, errorOf } from '../support/deferred.js';
import { EventLog } from '../support/event-log.js';
import { RedisServer } from '../support/redis/redis-server.js';

const server = await RedisServer.start();
const raw = server.client();
afterAll(() => server.stop());
beforeEach(() => raw.flushall());

@Injectable()
class Orders {
  @DistributedLock({ key: 'order:{id}', wait: '10s' })
  async ship(id: string, work: (id: string) => unknown): Promise<number> {
    await work(id);
    return currentLock().fencingToken;
  }

  @DistributedLock({ key: 'order:{id}', wait: 0, onBusy: 'skip' })
  async tryShip(id: string): Promise<string | undefined> {
    return id;
  }
}

async function boot<T>(type: Type<T>, store: LockStore = redisStore({ url: server.url })) {
  const log = new EventLog();
  const app = await Test.createTestingModule({
    imports: [LockModule.forRoot({ store, observers: [log] })],
    providers: [type],
  }).compile();
  await app.init();
  onTestFinished(() => app.close());
  return { app, log, service: app.get(type) };
}

/** Of everyone but the test itself. */
async function connections(): Promise<number> {
  return (
    String(await raw.client('LIST'))
      .trim()
      .split('\n').length - 1
  );
}

describe('two applications on one Redis', () => {
  it('exclude each other through the decorator', async () => {
    const [one, other] = await Promise.all([boot(Orders), boot(Orders)]);
    const entered = deferred();
    const leave = deferred();
    const order: string[] = [];
    const first = one.service.ship('42', async () => {
      entered.resolve();
      await leave.promise;
      order.push('first');
    });
    await entered.promise;
    const second = other.service.ship('42', () => order.push('second'));
    await other.log.seen('onWaiting');
    expect(await other.service.tryShip('42')).toBeUndefined();
    expect(await other.service.tryShip('43')).toBe('43');
    expect(order).toEqual([]);
    leave.resolve();
    const tokens = await Promise.all([first, second]);
    expect(order).toEqual(['first', 'second']);
    expect(tokens[1]).toBeGreaterThan(tokens[0]);
  });

  it('that are closed leave no connection and no key but fences', async () => {
    await expect.poll(connections).toBe(0);
    const [one, other] = await Promise.all([boot(Orders), boot(Orders)]);
    expect(await connections()).toBe(0); // opened at the first use
    const entered = deferred();
    const leave = deferred();
    const running = one.service.ship('42', async () => {
      entered.resolve();
      await leave.promise;
    });
    await entered.promise;
    expect(await connections()).toBe(1);
    const turnedAway = errorOf(other.service.ship('42', () => {}));
    await other.log.seen('onWaiting');
    expect(await connections()).toBe(3); // one more for the inbox of who waits
    await other.app.close();
    expect(await turnedAway).toMatchObject({ code: 'LOCK_UNAVAILABLE', reason: 'shutdown' });
    await expect.poll(connections).toBe(1);
    expect(await raw.exists('{lock:order:42}:queue')).toBe(0);
    const closing = one.app.close();
    expect(await raw.exists('lock:order:42')).toBe(1); // as long as the method runs
    leave.resolve();
    await Promise.all([running, closing]);
    await expect.poll(connections).toBe(0);
    expect(await raw.keys('*')).toEqual(['{lock:order:42}:fence']);
  });

  it('close no client that was given to them, and change none of its settings', async () => {
    const client = new Redis(server.url);
    onTestFinished(() => client.disconnect());
    await client.ping();
    const settings = { ...client.options };
    const listeners = () => client.eventNames().map((name) => [name, client.listenerCount(name)]);
    const before = listeners();
    const [one, other] = [
      await boot(Orders, redisStore({ client })),
      await boot(Orders, redisStore({ client })),
    ];
    const entered = deferred();
    const leave = deferred();
    const running = one.service.ship('42', async () => {
      entered.resolve();
      await leave.promise;
    });
    await entered.promise;
    const waiting = other.service.ship('42', () => {});
    await other.log.seen('onWaiting');
    expect(await connections()).toBe(2);
    leave.resolve();
    await Promise.all([running, waiting]);
    await Promise.all([one.app.close(), other.app.close()]);
    await expect.poll(connections).toBe(1);
    expect(client.status).toBe('ready');
    expect(await client.ping()).toBe('PONG');
    expect(client.options).toEqual(settings);
    expect(listeners()).toEqual(before);
  });
});
