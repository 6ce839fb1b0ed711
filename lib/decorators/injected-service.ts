import { Inject } from '@nestjs/common';
import { LockOptionsError } from '../lock.errors.js';
import { LockService } from '../lock.service.js';

const SERVICE = Symbol.for('nestjs-distributed-lock:service');

interface Injected {
  [SERVICE]?: LockService;
}

/**
 * Has Nest inject the service into every instance of a class: per instance, so that two applications in one
 * process stay apart. The property is not enumerable: it is no part of the object's data.
 */
export function requestService(target: object): void {
  if (SERVICE in target) return; // another method of this class, or of a base class, has asked already
  Object.defineProperty(target, SERVICE, {
    get: () => undefined,
    set(this: object, service: LockService) {
      Object.defineProperty(this, SERVICE, { value: service, configurable: true });
    },
    configurable: true,
  });
  Inject(LockService)(target, SERVICE);
}

export function serviceOf(instance: unknown, site: string): LockService {
  const service = (instance as Injected | null | undefined)?.[SERVICE];
  if (service instanceof LockService) return service;
  if (service) {
    throw new LockOptionsError(
      'what was injected as the LockService is not one, so nothing was run. In a test, give LockModule a ' +
        'ControllableStore instead of replacing the service.',
      { site },
    );
  }
  throw new LockOptionsError(
    'this object was not made by Nest, so there is no LockService to lock with, and nothing was run. Let Nest ' +
      'make it (list the class under `providers` or `controllers`; in a unit test use Test.createTestingModule), ' +
      'and call the method on the object, not detached from it.',
    { site },
  );
}
