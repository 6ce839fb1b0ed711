import { Logger } from '@nestjs/common';
import { LONGEST_DELAY } from '../../base/clock.js';
import { lock } from '../../core/lock.js';
import type { LockEngine } from '../../core/lock-engine.js';
import { type LockHold, runLocked } from '../../core/lock-hold.js';
import { type LockSettings, SHORTEST_TTL } from '../../core/lock-settings.js';
import { serviceOf } from '../../decorators/injected-service.js';
import type { Method } from '../../decorators/locked-method.js';
import { LockBusyError, LockUnavailableError } from '../../lock.errors.js';
import type { Otherwise } from '../../lock.fallbacks.js';
import { halfOf } from './period.js';
import { JOB_DEFAULTS, type JobSettings } from './schedule.options.js';
import type { Tick, TickAt } from './tick.js';

/** A job, with everything that could be checked when its class was defined. */
export interface LockedJob extends JobSettings {
  /** `ClassName.methodName` */
  readonly site: string;
  readonly keyOf: (instance: object) => string;
  readonly tickAt: TickAt;
}

const logger = new Logger('LockModule');

/**
 * A job behind two locks. One on the tick, which the first instance to come takes and nobody gives back before its
 * time: it makes the tick run once. One on the job, held while it runs: it keeps runs from overlapping.
 *
 * The tick comes first. Those who only find out that they are late must not hold the job meanwhile, or they would make
 * the next tick believe in an overlap.
 */
export function lockedJob(job: LockedJob, original: Method): Method {
  const { site, settings, store } = job;
  return async function (this: unknown, ...args) {
    const engine = serviceOf(this, site).engineFor(settings, store, site);
    const key = job.keyOf(this as object);
    const tick = job.tickAt(Date.now());
    const body = () => original.apply(this, args);
    return runLocked(enter(engine, key, tick, job), body, otherwise(key, tick, job, body));
  };
}

async function enter(engine: LockEngine, key: string, tick: Tick, job: LockedJob): Promise<LockHold> {
  const { settings, site, onOverlap } = job;
  const call = { ...settings, site, signal: undefined };
  const { minHold, period } = tick;
  const claim = await lock(engine, [`${key}@${tick.name}`], {
    ...call,
    ttl: Math.max(SHORTEST_TTL, minHold),
    minHold,
    wait: 0,
  });
  void claim.release(); // never rejects; the store keeps it for the rest of minHold, even if this process dies now
  return lock(engine, [key], {
    ...call,
    ttl: job.ttl ?? defaultTtl(period, settings),
    minHold: 0,
    wait: onOverlap === 'wait' ? Math.min(period, LONGEST_DELAY) : 0,
  });
}

function defaultTtl(period: number, { maxHold = Number.POSITIVE_INFINITY }: LockSettings): number {
  return Math.min(halfOf(period, JOB_DEFAULTS.ttl), maxHold);
}

/** What is skipped is told to observers by the engine, and here to whoever reads the debug log. */
function otherwise(key: string, tick: Tick, job: LockedJob, body: () => unknown): Otherwise {
  const skip = (reason: string) => {
    logger.debug(`${job.site}: skipped ${tick.title}: ${reason}.`);
    return () => undefined;
  };
  return (error) => {
    if (error instanceof LockBusyError) {
      return skip(error.key === key ? 'a run still goes on' : 'it has been taken');
    }
    if (!(error instanceof LockUnavailableError)) return undefined;
    if (error.reason === 'shutdown') return skip('the application is shutting down');
    return job.onUnavailable === 'run' ? body : undefined;
  };
}
