import type { LockEngine } from './lock-engine.js';
import { innermostOpenHold, LockHold } from './lock-hold.js';
import type { LockCall } from './lock-settings.js';

/** Takes one key or several (all or none), re-entering those that the calling context holds already. */
export function lock(
  engine: LockEngine,
  keys: readonly string[],
  call: LockCall,
): LockHold | Promise<LockHold> {
  const outer = innermostOpenHold();
  const [key] = keys;
  return key !== undefined && keys.length === 1
    ? engine.enter(key, call, outer)
    : lockSeveral(engine, keys, call, outer);
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
  const holds: LockHold[] = [];
  try {
    for (const key of keys) {
      const wait = Math.max(0, call.wait - (clock.now().monotonic - startedAt));
      holds.push(await engine.enter(key, { ...call, wait }, outer));
    }
  } catch (error) {
    await Promise.all(holds.map((hold) => hold.abandon()));
    throw error;
  }
  return new LockHold(
    holds.flatMap(({ frames }) => frames),
    outer,
    call,
  );
}
