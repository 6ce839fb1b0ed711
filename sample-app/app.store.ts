import { type LockStore, memoryStore } from 'nestjs-distributed-lock';
import { redisStore } from 'nestjs-distributed-lock/redis';
import { redisUrl } from './app.settings.js';

/** Locks of all instances that use the same Redis; without one, of this process alone. */
export const store: LockStore = redisUrl ? redisStore({ url: redisUrl }) : memoryStore();
