import { createHash } from 'node:crypto';

/** What a lock's key may have, in bytes of UTF-8. Those of a cache, such as URLs, may be longer. */
const LONGEST_LOCK_KEY = 512;

/** The key that is locked while a value of the cache is loaded. */
export function lockNameOf(cacheKey: string): string {
  const name = `cache:${cacheKey}`;
  if (Buffer.byteLength(name) <= LONGEST_LOCK_KEY && name.isWellFormed()) return name;
  return `cache:sha256:${createHash('sha256').update(cacheKey).digest('hex')}`;
}
