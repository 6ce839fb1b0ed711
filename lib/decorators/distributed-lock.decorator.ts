import 'reflect-metadata';
import { Observable } from 'rxjs';
import { checkKeys } from '../core/keys/check-key.js';
import { compileTemplate } from '../core/keys/key-template.js';
import { parametersOf } from '../core/keys/method-parameters.js';
import { LockKeyError, LockOptionsError } from '../lock.errors.js';
import {
  assertKnownOptions,
  DEFAULTS,
  type DistributedLockOptions,
  type LockKey,
  METHOD_OPTIONS,
  type OnBusy,
  resolveFallbacks,
  resolveSettings,
} from '../lock.options.js';
import { dressAs } from './copy-method-metadata.js';
import type { LockDecorator } from './distributed-lock.types.js';
import { requestService } from './injected-service.js';
import { type LockedMethod, type Method, rememberLockedMethod } from './locked-method.js';
import { lockedObservable } from './locked-observable.js';
import { lockedPromise } from './locked-promise.js';

/** The function below our own wrapper: a second decorator on the same method reads its parameters. */
const originals = new WeakMap<Method, Method>();

/**
 * Locks a key for as long as the method's promise (or Observable) lasts.
 *
 * ```ts
 * @DistributedLock({ key: 'order:{id}', ttl: '30s', wait: '5s' })
 * async ship(id: string) { … }
 * ```
 *
 * The class has to be made by Nest, in a module that sees `LockModule`. Every option is checked when the class is
 * defined; the store when the application starts.
 */
export function DistributedLock<const K extends LockKey = string, const B extends OnBusy = 'throw'>(
  options: DistributedLockOptions<K, B> = {},
): LockDecorator<K, B> {
  return (target: object, name: string | symbol, descriptor: PropertyDescriptor): void => {
    const site = siteOf(target, name);
    const original = assertMethod(target, descriptor, site);
    assertKnownOptions(options, METHOD_OPTIONS, site);
    const method: LockedMethod = {
      site,
      settings: resolveSettings(options, site),
      store: options.store ?? DEFAULTS.store,
      keysOf: compileKey(options.key, target, name, originals.get(original) ?? original, site),
      ...resolveFallbacks(options, site),
    };
    rememberLockedMethod(target, method);
    requestService(target);
    const locked = returnsObservable(target, name) ? lockedObservable : lockedPromise;
    const wrapper = dressAs(locked(method, original), original);
    originals.set(wrapper, originals.get(original) ?? original);
    descriptor.value = wrapper;
  };
}

function siteOf(target: object, name: string | symbol): string {
  // With standard decorators the second argument is a context object, and there is no class to name.
  const owner = typeof target === 'function' ? target.name : target?.constructor?.name;
  return `${owner || '(anonymous class)'}.${typeof name === 'object' ? 'method' : String(name)}`;
}

function assertMethod(target: object, descriptor: PropertyDescriptor | undefined, site: string): Method {
  const fail = (problem: string): never => {
    throw new LockOptionsError(`@DistributedLock() ${problem}.`, { site });
  };
  if (!descriptor) return fail('needs "experimentalDecorators": true in tsconfig.json, as Nest does');
  const method: unknown = descriptor.value;
  if (typeof method !== 'function') return fail('goes on a method, not on a property, getter or setter');
  if (typeof target === 'function')
    return fail('cannot go on a static method: Nest injects into objects only');
  if (/^(Async)?GeneratorFunction$/.test(method.constructor.name)) {
    return fail(
      'cannot go on a generator: it has returned before its work begins. Use LockService.run() inside',
    );
  }
  return method as Method;
}

function compileKey(
  key: LockKey | undefined,
  target: object,
  name: string | symbol,
  original: Method,
  site: string,
): LockedMethod['keysOf'] {
  if (typeof key === 'function') {
    return (instance, args) => checkKeys(key.apply(instance, args as never[]), site);
  }
  if (typeof key === 'string') {
    const resolve = compileTemplate(key, parametersOf(original), site);
    return (_instance, args) => [resolve(args)];
  }
  if (key !== undefined) {
    throw new LockKeyError(`\`key\` is ${String(key)}: give a template, or a function of the arguments.`, {
      site,
    });
  }
  if (typeof name === 'symbol' || !target.constructor.name) {
    throw new LockKeyError('the class or the method has no name to make a key of: give a `key`.', { site });
  }
  return () => [site];
}

/** Only the declared type tells, before the method has run, whether it returns an Observable. */
function returnsObservable(target: object, name: string | symbol): boolean {
  const type: unknown = Reflect.getMetadata('design:returntype', target, name);
  return typeof type === 'function' && (type === Observable || type.prototype instanceof Observable);
}
