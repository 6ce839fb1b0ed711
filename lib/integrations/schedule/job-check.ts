import 'reflect-metadata';
import type { ModuleRef } from '@nestjs/core';
import { SchedulerRegistry } from '@nestjs/schedule';
import type { LockedMethod } from '../../decorators/locked-method.js';
import { LockOptionsError } from '../../lock.errors.js';
import type { LockedJob } from './locked-job.js';

/** Where Nest's decorators, in all their versions, say what a method is scheduled as. */
const SCHEDULER_TYPE = 'SCHEDULER_TYPE';

export function isScheduled(method: object): boolean {
  return Reflect.hasMetadata(SCHEDULER_TYPE, method);
}

interface Metatype {
  readonly name: string;
  readonly prototype: object;
}

interface Owner {
  readonly metatype: unknown;
  readonly site: string;
}

/** Whose a key is, in each application. */
const ownersIn = new WeakMap<ModuleRef, Map<string, Owner>>();

/**
 * A job that Nest passes over makes no sound, so whatever makes Nest pass it over is an error here: Nest's own log
 * warns of one of the cases only. (`ScheduleModule.forRoot({ cronJobs: false })` is a wish, and none of them.)
 */
export function checkJobAtBoot(
  job: LockedJob,
  target: object,
  name: string,
): NonNullable<LockedMethod['checkAtBoot']> {
  return (wrapper, app) => {
    const metatype = wrapper.metatype as Metatype;
    const method: unknown = Reflect.get(target, name);
    if (Reflect.get(metatype.prototype, name) !== method) return; // a subclass that overrides it has no such job
    const site = `${metatype.name}.${name}`;
    const fail = (problem: string): never => {
      throw new LockOptionsError(problem, { site });
    };
    if (!hasScheduler(app)) {
      fail('nobody runs this job: import ScheduleModule.forRoot() of @nestjs/schedule in the root module.');
    }
    if (!isScheduled(method as object)) {
      fail(
        'Nest does not see this job, because a decorator above it replaced the method without its metadata. Put ' +
          'that decorator below.',
      );
    }
    if (!wrapper.isDependencyTreeStatic() || wrapper.isTransient) {
      fail(
        'Nest runs no jobs of a class that it makes more than once: this one is transient, or it, or something that ' +
          'it injects, is request-scoped. Give the job a class with the default scope.',
      );
    }
    const other = otherOwner(app, job, metatype, site);
    if (other) {
      fail(
        `"${job.keyOf(metatype.prototype)}" is also the key of ${other.site === site ? 'another ' : ''}${other.site}, ` +
          'so that only one of them would run at each tick: give each a `key` of its own.',
      );
    }
  };
}

function hasScheduler(app: ModuleRef): boolean {
  try {
    return Boolean(app.get(SchedulerRegistry, { strict: false }));
  } catch {
    return false;
  }
}

/** Another job of this key. The same class in two modules is the same job. */
function otherOwner(app: ModuleRef, job: LockedJob, metatype: Metatype, site: string): Owner | undefined {
  const owners = ownersIn.get(app) ?? new Map<string, Owner>();
  ownersIn.set(app, owners);
  const key = `${job.store} ${job.keyOf(metatype.prototype)}`;
  const owner = owners.get(key);
  if (!owner) owners.set(key, { metatype, site });
  return owner && (owner.metatype !== metatype || owner.site !== site) ? owner : undefined;
}
