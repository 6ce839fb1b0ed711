import { Injectable } from '@nestjs/common';
import { describe, expect, it } from 'vitest';
import { currentLock, DistributedLock, LockBusyError, LockKeyError } from '../../lib/index.js';
import { bootWith, type LockedApp } from '../support/boot-app.js';
import { errorOf } from '../support/deferred.js';

interface Order {
  readonly id: string;
}

@Injectable()
class Orders {
  readonly tenant = 'acme';
  runs = 0;

  @DistributedLock()
  async sweep(): Promise<string> {
    return this.#run();
  }

  @DistributedLock({ key: 'order:{order.id}' })
  async byPath(order: Order): Promise<string> {
    return `${order.id}: ${this.#run()}`;
  }

  @DistributedLock({
    key(this: Orders, id: string): string {
      return `${this.tenant}:${id}`;
    },
  })
  async byThis(_id: string): Promise<string> {
    return this.#run();
  }

  @DistributedLock({ key: (...ids: string[]) => ids.map((id) => `order:${id}`), wait: 0 })
  async merge(...ids: string[]): Promise<string> {
    return `${ids.length}: ${this.#run()}`;
  }

  @DistributedLock({ key: (value: unknown) => value as string })
  async anything(_value: unknown): Promise<string> {
    return this.#run();
  }

  #run(): string {
    this.runs += 1;
    return currentLock().key;
  }
}

const keysTaken = ({ log }: LockedApp<unknown>) => log.of('onAcquired').map(({ key }) => key);

describe('keys', () => {
  it('is the class and the method where none is given', async () => {
    const { service } = await bootWith(Orders);
    expect(await service.sweep()).toBe('Orders.sweep');
  });

  it('1. comes from the arguments', async () => {
    const { service } = await bootWith(Orders);
    expect(await service.byPath({ id: '7' })).toBe('7: order:7');
  });

  it('comes from a function of the arguments, with `this`', async () => {
    const { service } = await bootWith(Orders);
    expect(await service.byThis('7')).toBe('acme:7');
  });

  it('may be several: taken in sorted order, each once', async () => {
    const booted = await bootWith(Orders);
    expect(await booted.service.merge('b', 'a', 'b')).toBe('3: order:a,order:b');
    expect(keysTaken(booted)).toEqual(['order:a', 'order:b']);
    expect(booted.log.names.filter((name) => name === 'onReleased')).toHaveLength(2);
  });

  it('of several takes all or none', async () => {
    const { service, store, locks } = await bootWith(Orders);
    await store.holdElsewhere('order:b');
    const error = await errorOf(service.merge('a', 'b', 'c'));
    expect(error).toBeInstanceOf(LockBusyError);
    expect(error).toHaveProperty('key', 'order:b');
    expect(await locks.inspect('order:a')).toBeNull();
    expect(await locks.inspect('order:c')).toBeNull();
    expect(service.runs).toBe(0);
  });

  it.each([
    ['an empty list (peers.md 5, peers.md 14)', [], /list of keys is empty/],
    ['undefined', undefined, /the key is undefined/],
    ['null', null, /the key is null/],
    ['an empty string', '', /the key is ""/],
    ['white space', ' ', /the key is " "/],
    ['an object (peers.md 18)', { id: 1 }, /the key is an object \(Object\)/],
    ['a number', 7, /the key is 7/],
    ['a promise', Promise.resolve('k'), /was an `await` forgotten/],
    ['a list with a hole', ['a', undefined], /the key is undefined/],
    ['a key that is too long', 'x'.repeat(513), /the key has 513 bytes, 512 are allowed/],
  ])('3. of a function that gives %s is refused before the method runs', async (_what, key, message) => {
    const { service, log } = await bootWith(Orders);
    const error = await errorOf(service.anything(key));
    expect(error).toBeInstanceOf(LockKeyError);
    expect(String(error)).toMatch(/Orders\.anything: /);
    expect(String(error)).toMatch(message);
    expect(service.runs).toBe(0);
    expect(log.names).toEqual([]);
  });

  it.each([
    [undefined, 'undefined'],
    [null, 'null'],
    ['', 'an empty string'],
    [Number.NaN, 'NaN'],
    [{}, 'an object (Object)'],
    [[], 'an array'],
  ])('3. is never `order:%o` (peers.md 14, peers.md 18)', async (id, described) => {
    const { service, log } = await bootWith(Orders);
    const error = await errorOf(service.byPath({ id: id as string }));
    expect(error).toBeInstanceOf(LockKeyError);
    expect(String(error)).toContain(
      `Orders.byPath: {order.id} of the key 'order:{order.id}' is ${described}:`,
    );
    expect(service.runs).toBe(0);
    expect(log.names).toEqual([]);
  });

  it('2. with a name that the method has not fails when the class is defined', () => {
    expect(() => {
      class Broken {
        @DistributedLock({ key: 'order:{orderId}' })
        async ship(id: string): Promise<string> {
          return id;
        }
      }
      return Broken;
    }).toThrow(/Broken\.ship: the key 'order:\{orderId\}' asks for \{orderId\}, .* this method has are: id/);
  });
});
