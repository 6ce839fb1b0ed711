import 'reflect-metadata';
import { checkKey } from '../../core/keys/check-key.js';
import { dressAs } from '../../decorators/copy-method-metadata.js';
import { requestService } from '../../decorators/injected-service.js';
import { type Method, rememberLockedMethod } from '../../decorators/locked-method.js';
import { LockKeyError, LockOptionsError } from '../../lock.errors.js';
import { assertKnownOptions } from '../../lock.options.js';
import { checkJobAtBoot, isScheduled } from './job-check.js';
import { type LockedJob, lockedJob } from './locked-job.js';
import { type LockedJobDecorator, type LockedJobOptions, resolveJob } from './schedule.options.js';
import type { TickAt } from './tick.js';

/** What a decorator makes of its arguments. */
interface Schedule {
  readonly lock: LockedJobOptions;
  readonly tickAt: TickAt;
  /** Nest's own decorator. */
  readonly decorate: MethodDecorator;
}

/** The longest name that a tick can have. */
const LONGEST_TICK = '@2026-01-01T00:00:00.000Z';

/** Locks a method and has Nest schedule it, once everything is checked that can be when the class is defined. */
export function scheduleLocked(
  decorator: string,
  options: object,
  known: readonly string[],
  read: (site: string) => Schedule,
): LockedJobDecorator {
  return (target: object, name: string, descriptor: PropertyDescriptor): void => {
    const site = siteOf(target, name);
    const original = assertJob(decorator, target, name, descriptor, site);
    assertKnownOptions(options, known, site);
    const { lock, tickAt, decorate } = read(site);
    const keyOf = keyOfJob(lock.key, target, name, site);
    const job: LockedJob = { ...resolveJob(lock, site), site, keyOf, tickAt };
    rememberLockedMethod(target, {
      ...job,
      keysOf: (instance) => [keyOf(instance as object)],
      checkAtBoot: checkJobAtBoot(job, target, name),
    });
    requestService(target);
    descriptor.value = dressAs(lockedJob(job, original), original);
    decorate(target, name, descriptor);
  };
}

function siteOf(target: object, name: unknown): string {
  const owner = typeof target === 'function' ? target.name : target?.constructor?.name;
  const method = typeof name === 'string' || typeof name === 'symbol' ? String(name) : 'method';
  return `${owner || '(anonymous class)'}.${method}`;
}

function assertJob(
  decorator: string,
  target: object,
  name: unknown,
  descriptor: PropertyDescriptor | undefined,
  site: string,
): Method {
  const fail = (problem: string): never => {
    throw new LockOptionsError(`${decorator} ${problem}.`, { site });
  };
  // Standard decorators are given a context object here.
  if (typeof name === 'object')
    return fail('needs "experimentalDecorators": true in tsconfig.json, as Nest does');
  const method: unknown = descriptor?.value;
  if (typeof method !== 'function') return fail('goes on a method, not on a property, getter or setter');
  if (typeof target === 'function')
    return fail('cannot go on a static method: Nest schedules those of objects');
  if (typeof name === 'symbol')
    return fail('cannot go on a method named by a symbol: Nest does not look there');
  if (isScheduled(method)) return fail('is the second schedule of this method: Nest keeps only one');
  return method as Method;
}

function keyOfJob(key: unknown, target: object, name: string, site: string): LockedJob['keyOf'] {
  if (key !== undefined) {
    const checked = checkKey(key, site);
    checkKey(checked + LONGEST_TICK, site);
    return () => checked;
  }
  if (!target.constructor.name) {
    throw new LockKeyError('the class has no name to make a key of: give a `key`.', { site });
  }
  // Two classes that inherit one job are two jobs: with one key, one of them would never run.
  return (instance) => `${instance.constructor.name}.${name}`;
}
