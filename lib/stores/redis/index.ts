export type {
  RedisClientOptions,
  RedisConnectionOptions,
  RedisStoreOptions,
  RedisStoreSettings,
  RedisUrlOptions,
} from './redis.options.js';
export { redisStore } from './redis.store.js';
