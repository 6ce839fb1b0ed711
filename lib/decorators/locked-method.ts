import 'reflect-metadata';
import type { ModuleRef } from '@nestjs/core';
import type { InstanceWrapper } from '@nestjs/core/injector/instance-wrapper.js';
import type { LockSettings } from '../core/lock-settings.js';
import type { Fallbacks } from '../lock.options.js';

export type Method = (this: unknown, ...args: unknown[]) => unknown;

/** A decorated method, with everything that could be checked when its class was defined. */
export interface LockedMethod extends Fallbacks {
  /** `ClassName.methodName` */
  readonly site: string;
  readonly settings: LockSettings;
  /** The name of the store. */
  readonly store: string;
  /** The keys of one call, from its arguments. */
  readonly keysOf: (instance: unknown, args: readonly unknown[]) => readonly string[];
  /** What else has to hold when the application starts; throws if it does not. */
  readonly checkAtBoot?: (wrapper: InstanceWrapper, app: ModuleRef) => void;
}

const LOCKED_METHODS = Symbol.for('nestjs-distributed-lock:locked-methods');

export function rememberLockedMethod(target: object, method: LockedMethod): void {
  Reflect.defineMetadata(
    LOCKED_METHODS,
    [...lockedMethodsOf(target.constructor), method],
    target.constructor,
  );
}

/** Those of a class, inherited ones included. */
export function lockedMethodsOf(metatype: unknown): readonly LockedMethod[] {
  return typeof metatype === 'function' ? (Reflect.getMetadata(LOCKED_METHODS, metatype) ?? []) : [];
}
