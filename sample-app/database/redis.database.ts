import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Redis } from 'ioredis';
import { Database } from './database.js';
import { FENCED_WRITE } from './fenced-write.lua.js';
import { StaleWriteError } from './stale-write.error.js';

/** One database for all instances. Each row is a hash with the fields `value` and `fence`. */
@Injectable()
export class RedisDatabase extends Database implements OnApplicationShutdown {
  readonly #redis: Redis;

  constructor(url: string) {
    super();
    this.#redis = new Redis(url, { keyPrefix: 'shop:', maxRetriesPerRequest: 1 });
    this.#redis.on('error', () => {}); // whoever asks is told
  }

  override async read<T>(key: string): Promise<T | undefined> {
    const value = await this.#redis.hget(key, 'value');
    return value === null ? undefined : (JSON.parse(value) as T);
  }

  override async write(key: string, value: unknown): Promise<void> {
    await this.#redis.hset(key, 'value', JSON.stringify(value));
  }

  override async writeFenced(key: string, value: unknown, fencingToken: number): Promise<void> {
    const fence = await this.#redis.eval(FENCED_WRITE, 1, key, JSON.stringify(value), fencingToken);
    if (fence !== null) throw new StaleWriteError(key, fencingToken, Number(fence));
  }

  override async increment(key: string): Promise<number> {
    return this.#redis.incr(`count:${key}`);
  }

  override async count(key: string): Promise<number> {
    return Number(await this.#redis.get(`count:${key}`));
  }

  onApplicationShutdown(): void {
    this.#redis.disconnect();
  }
}
