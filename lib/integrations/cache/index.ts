export type { StampedeCache } from './cache-values.js';
export { LockedCache } from './locked-cache.decorator.js';
export { LockedCacheInterceptor } from './locked-cache.interceptor.js';
export { StampedeGuard } from './stampede.guard.js';
export type { LockedCacheOptions, StampedeOptions } from './stampede.options.js';
