import 'reflect-metadata';

type Method = (...args: never[]) => unknown;

/**
 * Gives a wrapper what others look for on the method itself: its name, its number of parameters, and all that
 * decorators below put on it. So `@Cron()`, `@Get()`, guards and Swagger work above and below.
 */
export function dressAs<M extends Method>(wrapper: M, original: Method): M {
  Object.defineProperty(wrapper, 'name', { value: original.name, configurable: true });
  Object.defineProperty(wrapper, 'length', { value: original.length, configurable: true });
  for (const key of Reflect.getOwnMetadataKeys(original)) {
    Reflect.defineMetadata(key, Reflect.getOwnMetadata(key, original), wrapper);
  }
  for (const key of Reflect.ownKeys(original)) {
    if (Object.hasOwn(wrapper, key)) continue;
    Object.defineProperty(wrapper, key, Object.getOwnPropertyDescriptor(original, key) as PropertyDescriptor);
  }
  return wrapper;
}
