import { type LockStore, memoryStore } from 'nestjs-distributed-lock';
import { redisStore } from 'nestjs-distributed-lock/redis';

/** Where Redis is, if instances are to share their locks: `redis://127.0.0.1:6379`. */
export const redisUrl = process.env.REDIS_URL;

/** Locks of all instances that use the same Redis; without one, of this process alone. */
export const store: LockStore = redisUrl ? redisStore({ url: redisUrl }) : memoryStore();
