import type { Cluster, Redis, RedisOptions } from 'ioredis';
import type { Clock } from '../../base/clock.js';
import { show } from '../../base/show.js';
import { LockOptionsError } from '../../lock.errors.js';

/** What every Redis store can be given, however it connects. */
export interface RedisStoreSettings {
  /**
   * What the names of all keys begin with. A lock on `order:42` is the key `lock:order:42`, so that clients which
   * follow Redis's documented lock pattern with the same names exclude us, and are excluded.
   * @default 'lock:'
   */
  readonly keyPrefix?: string | undefined;
  /**
   * A lock counts as taken only when this many replicas have it (`WAIT`); otherwise it is released again, and the
   * call rejects with a `LockUnavailableError`. It narrows the window in which a fail-over loses a lock, and does
   * not close it. Every grant then waits for the replicas.
   * @default 0
   */
  readonly minReplicas?: number | undefined;
  /** Told once of what makes locks slower or less fair than they could be, such as forbidden pub/sub.
   * @default console.warn
   */
  readonly onWarning?: ((message: string) => void) | undefined;
  /**
   * Tells the time and sets timers.
   * @default the system's clock
   */
  readonly clock?: Clock | undefined;
}

/** A client of yours: it is used as it is, and never closed. */
export interface RedisClientOptions extends RedisStoreSettings {
  readonly client: Redis | Cluster;
}

/** A connection of the store's own to an address such as `redis://localhost:6379`; closed with the application. */
export interface RedisUrlOptions extends RedisStoreSettings {
  readonly url: string;
}

/** A connection of the store's own with ioredis options (Sentinel, TLS, a password); closed with the application. */
export interface RedisConnectionOptions extends RedisStoreSettings {
  readonly options: RedisOptions;
}

export type RedisStoreOptions = RedisClientOptions | RedisUrlOptions | RedisConnectionOptions;

const SOURCES = ['client', 'url', 'options'] as const;
const KNOWN: readonly string[] = [...SOURCES, 'keyPrefix', 'minReplicas', 'onWarning', 'clock'];

export function checkRedisOptions(options: RedisStoreOptions): void {
  const fail = (problem: string): never => {
    throw new LockOptionsError(problem, { site: 'redisStore()' });
  };
  if (typeof options !== 'object' || options === null) {
    fail(`${show(options)} is given: give an object with one of \`client\`, \`url\` and \`options\`.`);
  }
  const given = SOURCES.filter((source) => source in options);
  if (given.length !== 1) {
    fail(`give one of \`client\`, \`url\` and \`options\`; given: ${given.join(', ') || 'none'}.`);
  }
  for (const name of Object.keys(options)) {
    if (!KNOWN.includes(name)) fail(`there is no option \`${name}\`; the options are: ${KNOWN.join(', ')}.`);
  }
  const { keyPrefix, minReplicas, onWarning } = options;
  if (keyPrefix !== undefined && typeof keyPrefix !== 'string') fail('`keyPrefix` has to be a string.');
  if (minReplicas !== undefined && !(Number.isSafeInteger(minReplicas) && minReplicas >= 0)) {
    fail(`\`minReplicas\` is ${String(minReplicas)}: it has to be a whole number, at least 0.`);
  }
  if (onWarning !== undefined && typeof onWarning !== 'function') fail('`onWarning` has to be a function.');
  // ioredis would take either for the server on this machine.
  if ('url' in options && (typeof options.url !== 'string' || options.url === '')) {
    fail(`\`url\` is ${show(options.url)}: give an address such as 'redis://localhost:6379'.`);
  }
  if ('options' in options && (typeof options.options !== 'object' || options.options === null)) {
    fail(`\`options\` is ${show(options.options)}: give those of ioredis.`);
  }
  if ('client' in options && typeof options.client?.evalsha !== 'function') {
    fail('`client` is no ioredis client: give an instance of Redis or Cluster.');
  }
}
