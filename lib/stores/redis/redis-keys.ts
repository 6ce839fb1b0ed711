import { LockKeyError } from '../../lock.errors.js';

/** The names of a lock's keys in Redis: lock, fence, queue, holders, tokens. */
export type LockKeys = readonly [lock: string, fence: string, queue: string, holders: string, tokens: string];

const SUFFIXES = [':fence', ':queue', ':holders', ':tokens'] as const;

/** Names all keys of a lock so that they hash to the slot of the lock itself. */
export class RedisKeys {
  /** Those that were named last: a key is asked for several times in a row, on several servers or for its release. */
  #last: { readonly key: string; readonly names: LockKeys } | undefined;

  constructor(
    readonly prefix: string,
    /** What the client puts before every key by itself. */
    readonly clientPrefix: string,
    readonly isCluster: boolean,
  ) {}

  of(key: string): LockKeys {
    if (this.#last?.key !== key) this.#last = { key, names: this.#name(key) };
    return this.#last.names;
  }

  #name(key: string): LockKeys {
    const problem = this.#problemWith(key);
    if (problem) throw new LockKeyError(`"${key}" ${problem}.`, { key });
    const lock = this.prefix + key;
    const name = this.clientPrefix + lock;
    const base = hasHashTag(name) ? lock : `{${name}}`;
    return [lock, `${base}:fence`, `${base}:queue`, `${base}:holders`, `${base}:tokens`];
  }

  #problemWith(key: string): string | undefined {
    const name = this.clientPrefix + this.prefix + key;
    if (hasHashTag(name)) {
      return isSideKey(name)
        ? `has a hash tag and ends like a key that belongs to another lock (${SUFFIXES.join(', ')})`
        : undefined;
    }
    return this.isCluster && name.includes('}')
      ? "has a '}' outside of a hash tag, so that its keys would lie in different slots of the cluster"
      : undefined;
  }

  /** The pattern that SCAN takes for all locks whose key begins so. */
  pattern(keyPrefix: string): string {
    return `${(this.clientPrefix + this.prefix + keyPrefix).replace(/[\\*?[\]]/g, '\\$&')}*`;
  }

  /** The lock's own key, from a name that SCAN found; undefined for what cannot be one. */
  fromScan(name: string): string | undefined {
    const prefix = this.clientPrefix + this.prefix;
    const key = name.slice(prefix.length);
    return name.startsWith(prefix) && !this.#problemWith(key) ? key : undefined;
  }
}

/** What decides the slot: Redis hashes what stands in the first braces, if anything does, or else the whole name. */
export function hashTagOf(name: string): string {
  const open = name.indexOf('{');
  const close = open < 0 ? -1 : name.indexOf('}', open);
  return close > open + 1 ? name.slice(open + 1, close) : name;
}

function hasHashTag(name: string): boolean {
  return hashTagOf(name) !== name;
}

function isSideKey(name: string): boolean {
  return SUFFIXES.some((suffix) => name.endsWith(suffix));
}
