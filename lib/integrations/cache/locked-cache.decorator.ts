import { SetMetadata } from '@nestjs/common';
import { type LockedCacheOptions, resolveLockedCache } from './stampede.options.js';

export const LOCKED_CACHE = 'nestjs-distributed-lock:locked-cache';

/**
 * Says how `LockedCacheInterceptor` loads what a handler, or all handlers of a controller, give. What is on a handler
 * replaces what is on its class. Not needed where the defaults are right.
 */
export function LockedCache(options: LockedCacheOptions): ClassDecorator & MethodDecorator {
  return (target: object, name?: string | symbol, descriptor?: PropertyDescriptor): void => {
    const owner = typeof target === 'function' ? target.name : target.constructor.name;
    const site = name === undefined ? owner : `${owner}.${String(name)}`;
    SetMetadata(LOCKED_CACHE, resolveLockedCache(options, site))(target, name as string, descriptor as never);
  };
}
