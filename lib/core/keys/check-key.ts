import { show } from '../../base/show.js';
import { LockKeyError } from '../../lock.errors.js';

/** The longest key, in bytes of UTF-8: every store can carry it, with a prefix of its own. */
const LONGEST_KEY = 512;

/** One or several keys, checked; sorted and each only once, so that those who lock several never wait in a circle. */
export function checkKeys(key: unknown, site: string): readonly string[] {
  if (!Array.isArray(key)) return [checkKey(key, site)];
  if (key.length === 0) {
    throw new LockKeyError('the list of keys is empty, so that nothing would be locked: give at least one.', {
      site,
    });
  }
  return [...new Set(Array.from(key, (each) => checkKey(each, site)))].sort();
}

export function checkKey(key: unknown, site: string): string {
  if (typeof key !== 'string' || key.trim() === '' || !key.isWellFormed()) {
    const found = typeof key === 'string' ? JSON.stringify(key) : show(key);
    throw new LockKeyError(`the key is ${found}: a key has to be a non-empty, well-formed string.`, { site });
  }
  // Three bytes a character at most: most keys need no counting.
  if (key.length * 3 > LONGEST_KEY) {
    const bytes = Buffer.byteLength(key);
    if (bytes > LONGEST_KEY) {
      throw new LockKeyError(
        `the key has ${bytes} bytes, ${LONGEST_KEY} are allowed: "${key.slice(0, 64)}…". ` +
          'Lock an id or a hash instead of the value itself.',
        { key, site },
      );
    }
  }
  return key;
}
