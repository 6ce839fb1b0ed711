import { LockBusyError, LockUnavailableError } from '../lock.errors.js';
import type { Frame } from './frame.js';
import type { LockEngine } from './lock-engine.js';
import { innermostOpenHold, LockHold, runAndRelease } from './lock-hold.js';
import type { LockCall } from './lock-settings.js';

/** Takes one key or several (all or none), re-entering those that the calling context holds already. */
export function lock(
  engine: LockEngine,
  keys: readonly string[],
  call: LockCall,
): LockHold | Promise<LockHold> {
  const outer = innermostOpenHold();
  const [key] = keys;
  if (key === undefined || keys.length > 1) return lockSeveral(engine, keys, call, outer);
  const entered = engine.enter(key, call, outer);
  return entered instanceof Promise
    ? entered.then((frame) => new LockHold([frame], outer, call))
    : new LockHold([entered], outer, call);
}

/** The wait is for all keys together. */
async function lockSeveral(
  engine: LockEngine,
  keys: readonly string[],
  call: LockCall,
  outer: LockHold | undefined,
): Promise<LockHold> {
  const { clock } = engine;
  const startedAt = clock.now().monotonic;
  const frames: Frame[] = [];
  try {
    for (const key of keys) {
      const wait = Math.max(0, call.wait - (clock.now().monotonic - startedAt));
      frames.push(await engine.enter(key, { ...call, wait }, outer));
    }
  } catch (error) {
    for (const frame of frames) frame.leave();
    await Promise.all(frames.map(({ hold }) => hold.releasing ?? Promise.resolve(true)));
    throw error;
  }
  return new LockHold(frames, outer, call);
}

/** What to do when the lock cannot be had; undefined: throw. */
export interface Alternatives<R> {
  readonly whenBusy: (() => R) | undefined;
  readonly whenUnavailable: (() => R) | undefined;
}

/** Runs a body inside a lock that lasts as long as the body's promise. */
export async function runLocked<R>(
  engine: LockEngine,
  keys: readonly string[],
  call: LockCall,
  alternatives: Alternatives<R>,
  body: () => R,
): Promise<Awaited<R>> {
  let hold: LockHold;
  try {
    hold = await lock(engine, keys, call);
  } catch (error) {
    const alternative = alternativeTo(error, alternatives);
    if (alternative) return await alternative();
    throw error;
  }
  return runAndRelease(hold, body);
}

export function alternativeTo<R>(error: unknown, alternatives: Alternatives<R>): (() => R) | undefined {
  if (error instanceof LockBusyError) return alternatives.whenBusy;
  if (error instanceof LockUnavailableError) return alternatives.whenUnavailable;
  return undefined;
}
