import { expect } from 'vitest';
import type { LockErrorCode } from '../../../lib/index.js';

/** For `toThrow()`: an error by its class, its code and its message. */
function lockError(name: string, code: LockErrorCode, message: RegExp): unknown {
  return expect.objectContaining({ name, code, message: expect.stringMatching(message) });
}

export const lockKeyError = (message: RegExp) => lockError('LockKeyError', 'LOCK_KEY', message);
export const lockOptionsError = (message: RegExp) => lockError('LockOptionsError', 'LOCK_OPTIONS', message);
