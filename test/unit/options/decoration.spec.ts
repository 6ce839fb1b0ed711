import { describe, expect, it } from 'vitest';
import { lockedMethodsOf } from '../../../lib/decorators/locked-method.js';
import { DistributedLock, type DistributedLockOptions } from '../../../lib/index.js';
import { lockKeyError, lockOptionsError } from '../base/lock-error.matcher.js';

/** Defines a class with a method `Orders.ship(id, order)` under the decorator. */
function define(options?: unknown) {
  class Orders {
    @DistributedLock(options as DistributedLockOptions<string, 'throw'>)
    async ship(id: string, order?: unknown): Promise<unknown> {
      return [id, order];
    }
  }
  return Orders;
}

/** The decorator without the types that keep it off what it cannot work on. */
const Unchecked = DistributedLock as unknown as (options?: object) => MethodDecorator & PropertyDecorator;

/** The keys of one call, for the first decorated method of a class. */
function keysOf(metatype: unknown, ...args: unknown[]): readonly string[] | undefined {
  return lockedMethodsOf(metatype)[0]?.keysOf(undefined, args);
}

describe('keys are checked when the class is defined', () => {
  it('2. a name that the method does not have, with the names that it has and the ways out', () => {
    expect(() => define({ key: 'order:{orderId}' })).toThrow(
      lockKeyError(
        /^Orders\.ship: the key 'order:\{orderId\}' asks for \{orderId\}, but .* are: id, order\. Use .* function/,
      ),
    );
  });

  it.each<[what: string, key: unknown, problem: RegExp]>([
    ['a position beyond the last', '{2}', /the method has 2 parameter\(s\)/],
    ['an empty placeholder', 'order:{}', /names nothing/],
    ['a lone brace', 'order:{id', /has a lone '\{'/],
    ['values that nothing separates', '{id}{order}', /nothing .* separates \{order\}/],
    ['an empty template', '', /non-empty/],
    ['a template that is too long', 'a'.repeat(513), /has 513 bytes/],
    ['null', null, /`key` is null: give a template, or a function/],
    ['a number', 5, /`key` is 5: give a template, or a function/],
    ['a list', [], /give a template, or a function/],
  ])('1. %s', (_what, key, problem) => {
    expect(() => define({ key })).toThrow(lockKeyError(problem));
    expect(() => define({ key })).toThrow(/^Orders\.ship: /);
  });

  it('2. the names are those of the method itself, under any number of our decorators', () => {
    class Orders {
      @DistributedLock({ key: 'outer:{id}' })
      @DistributedLock({ key: 'middle:{id}' })
      @DistributedLock({ key: 'inner:{id}' })
      async ship(id: string): Promise<string> {
        return id;
      }
    }
    const keys = lockedMethodsOf(Orders).flatMap((method) => method.keysOf(undefined, ['42']));
    expect(keys).toEqual(['inner:42', 'middle:42', 'outer:42']);
  });

  it('2. names are read through what TypeScript leaves of a parameter list', () => {
    class Orders {
      readonly #prefix = 'x';
      @DistributedLock({ key: 'order:{id}:{sku}' })
      async ship(
        { id, lines: [{ sku }] }: { id: number; lines: [{ sku: string }] },
        copies = 1,
      ): Promise<string> {
        return `${this.#prefix}${id}${sku}${copies}`;
      }
    }
    expect(keysOf(Orders, { id: 42, lines: [{ sku: 'a1' }] })).toEqual(['order:42:a1']);
  });
});

describe('the key', () => {
  it('is Class.method unless one is given', () => {
    expect(keysOf(define(), '42')).toEqual(['Orders.ship']);
    expect(keysOf(define({ key: undefined }), '42')).toEqual(['Orders.ship']);
  });

  it('may be a function of the arguments, called with the object as `this`', () => {
    const key = function (this: unknown, id: string) {
      return [`${String(this)}:${id}`, 'a'];
    };
    const [method] = lockedMethodsOf(define({ key }));
    expect(method?.keysOf('instance', ['42'])).toEqual(['a', 'instance:42']);
  });

  it.each<[what: string, result: unknown, problem: RegExp]>([
    ['nothing', undefined, /the key is undefined/],
    ['an empty list (peers.md 14)', [], /the list of keys is empty/],
    ['a list with a gap', ['a', undefined], /the key is undefined/],
    ['an empty string', '', /the key is ""/],
    ['a promise', Promise.resolve('a'), /the key is a Promise \(was an `await` forgotten\?\)/],
    ['a number', 42, /the key is 42/],
    ['a key that is too long', 'a'.repeat(513), /has 513 bytes/],
  ])('3. is refused where the function gives %s', (_what, result, problem) => {
    expect(() => keysOf(define({ key: () => result }), '42')).toThrow(lockKeyError(problem));
    expect(() => keysOf(define({ key: () => result }), '42')).toThrow(/^Orders\.ship: /);
  });

  it.each([undefined, null, '', Number.NaN, {}])(
    '3. is refused where the argument is %o (peers.md 14)',
    (id) => {
      expect(() => keysOf(define({ key: 'order:{id}' }), id)).toThrow(
        lockKeyError(/^Orders\.ship: \{id\} of the key 'order:\{id\}' is /),
      );
    },
  );

  it('has to be given where the class has no name', () => {
    // `export default class`: nowhere else may a class without a name be decorated.
    const anonymous = (options?: DistributedLockOptions<string, 'throw'>) => {
      const [metatype] = [
        class {
          async ship(): Promise<void> {}
        },
      ];
      const descriptor = Object.getOwnPropertyDescriptor(metatype?.prototype, 'ship');
      Unchecked(options)(metatype?.prototype as object, 'ship', descriptor as PropertyDescriptor);
      return metatype;
    };
    expect(() => anonymous()).toThrow(
      lockKeyError(/^\(anonymous class\)\.ship: the class or the method has no name .*give a `key`/),
    );
    expect(keysOf(anonymous({ key: 'orders' }))).toEqual(['orders']);
  });

  it('has to be given where the method has no name', () => {
    const SHIP = Symbol('ship');
    const bySymbol = (options?: DistributedLockOptions<string, 'throw'>) => {
      class Orders {
        @DistributedLock(options)
        async [SHIP](): Promise<void> {}
      }
      return Orders;
    };
    expect(() => bySymbol()).toThrow(lockKeyError(/^Orders\.Symbol\(ship\): .*give a `key`/));
    expect(keysOf(bySymbol({ key: 'orders' }))).toEqual(['orders']);
  });
});

describe('options are checked when the class is defined', () => {
  it.each<[what: string, options: unknown, problem: RegExp]>([
    ['a malformed duration', { ttl: '10 sec' }, /`ttl` '10 sec' is no duration/],
    ['a ttl under 10 ms', { ttl: 9 }, /`ttl` 9 is too short: at least 10 ms/],
    ['a negative wait', { wait: -1 }, /`wait` -1 is too short/],
    ['a wait that is NaN', { wait: Number.NaN }, /`wait` NaN is no duration/],
    ['an endless minHold', { minHold: Number.POSITIVE_INFINITY }, /`minHold` Infinity is too long/],
    [
      'a maxHold under the ttl',
      { ttl: '30s', maxHold: '10s' },
      /`maxHold` \(10000 ms\) is shorter than `ttl`/,
    ],
    ['no permits', { permits: 0 }, /`permits` is 0:/],
    ['half a permit', { permits: 1.5 }, /`permits` is 1\.5:/],
    ['permits of a shared lock', { mode: 'shared', permits: 2 }, /do not go together/],
    ['an unknown mode', { mode: 'read' }, /`mode` is 'read':/],
    ['a renew that is no boolean', { renew: 'no' }, /`renew` is 'no':/],
    ['an unknown onBusy', { onBusy: 'wait' }, /`onBusy` is 'wait':/],
    ['an unknown onUnavailable', { onUnavailable: 'skip' }, /`onUnavailable` is 'skip':/],
    ['a misspelt option', { tll: '30s' }, /there is no option `tll`; the options are: .*ttl/],
    ['an option of the service only', { signal: undefined }, /there is no option `signal`/],
    ['a template in the place of the options', 'order:{id}', /the options are 'order:\{id\}': .* an object/],
    ['a function in the place of the options', () => 'order', /the options are a function: .* an object/],
    ['null in the place of the options', null, /the options are null: .* an object/],
  ])('%s', (_what, options, problem) => {
    expect(() => define(options)).toThrow(lockOptionsError(problem));
    expect(() => define(options)).toThrow(/^Orders\.ship: /);
  });

  it('and good ones are kept', () => {
    const [method] = lockedMethodsOf(
      define({ ttl: '1m', wait: 0, permits: 3, store: 'billing', onBusy: 'skip' }),
    );
    expect(method).toMatchObject({
      site: 'Orders.ship',
      store: 'billing',
      onBusy: 'skip',
      onUnavailable: 'throw',
      settings: { ttl: 60_000, wait: 0, permits: 3, mode: 'exclusive', renew: true },
    });
  });
});

describe('what the decorator cannot work on is refused when the class is defined', () => {
  const refused = (problem: RegExp) => lockOptionsError(problem);

  it('5. a static method', () => {
    const defineStatic = () => {
      // biome-ignore lint/complexity/noStaticOnlyClass: the point
      class Orders {
        @DistributedLock()
        static async ship(): Promise<void> {}
      }
      return Orders;
    };
    expect(defineStatic).toThrow(
      refused(/^Orders\.ship: .*cannot go on a static method: Nest injects into objects/),
    );
  });

  it('5. a getter or setter', () => {
    const defineGetter = () => {
      class Orders {
        @Unchecked()
        get ship(): Promise<void> {
          return Promise.resolve();
        }
      }
      return Orders;
    };
    const defineSetter = () => {
      class Orders {
        @Unchecked()
        set ship(_value: string) {}
      }
      return Orders;
    };
    expect(defineGetter).toThrow(
      refused(/^Orders\.ship: .*goes on a method, not on a property, getter or setter/),
    );
    expect(defineSetter).toThrow(
      refused(/^Orders\.ship: .*goes on a method, not on a property, getter or setter/),
    );
  });

  it('5. a property', () => {
    const defineProperty = () => {
      class Orders {
        @Unchecked()
        ship = async () => undefined;
      }
      return Orders;
    };
    expect(defineProperty).toThrow(refused(/^Orders\.ship: @DistributedLock\(\) /));
  });

  it('6. a generator, whose work begins after it has returned', () => {
    const defineGenerator = () => {
      class Orders {
        @Unchecked()
        *ship() {
          yield 1;
        }
      }
      return Orders;
    };
    const defineAsyncGenerator = () => {
      class Orders {
        @Unchecked()
        async *ship() {
          yield 1;
        }
      }
      return Orders;
    };
    expect(defineGenerator).toThrow(
      refused(/^Orders\.ship: .*cannot go on a generator: .*LockService\.run\(\)/),
    );
    expect(defineAsyncGenerator).toThrow(
      refused(/^Orders\.ship: .*cannot go on a generator: .*LockService\.run\(\)/),
    );
  });

  it('5. standard decorators, which Nest does not know: the option of tsconfig.json is named', () => {
    const standard = DistributedLock({ key: 'order' }) as unknown as (
      value: unknown,
      context: object,
    ) => void;
    const method = { async ship() {} }.ship;
    expect(() => standard(method, { kind: 'method', name: 'ship', static: false })).toThrow(
      refused(/"experimentalDecorators": true/),
    );
  });
});
