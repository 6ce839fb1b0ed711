import type { Cluster, Redis } from 'ioredis';

/** Who owns a lock, read from the raw keys: the string itself, or the holders of a shared lock or semaphore. */
export async function ownersIn(client: Redis | Cluster, key: string): Promise<readonly string[]> {
  const lock = `lock:${key}`;
  const value = await client.get(lock);
  if (value === null) return [];
  if (!value.startsWith('~')) return [value];
  const base = /\{[^}]+\}/.test(lock) ? lock : `{${lock}}`;
  return client.zrangebyscore(`${base}:holders`, Date.now(), '+inf');
}
