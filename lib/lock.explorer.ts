import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import type { InstanceWrapper } from '@nestjs/core/injector/instance-wrapper.js';
import { type LockedMethod, lockedMethodsOf } from './decorators/locked-method.js';
import { LockOptionsError } from './lock.errors.js';
import { LockService } from './lock.service.js';

type HostModule = NonNullable<InstanceWrapper['host']>;

/** At boot, checks every decorated method against the stores that it will meet, and not at its first call. */
@Injectable()
export class LockExplorer implements OnModuleInit {
  constructor(
    private readonly discovery: DiscoveryService,
    private readonly locks: LockService,
  ) {}

  onModuleInit(): void {
    const wrappers = [...this.discovery.getProviders(), ...this.discovery.getControllers()];
    const home = wrappers.find(({ instance }) => instance === this.locks)?.host;
    for (const { metatype, host } of wrappers) {
      if (!home || !host || !sees(host, home)) continue; // another LockModule's, in the same application
      for (const method of lockedMethodsOf(metatype)) this.#check(method);
    }
  }

  #check({ site, store: name, settings }: LockedMethod): void {
    const { store } = this.locks.engine(name, site);
    const missing =
      settings.mode === 'shared' && !store.capabilities.shared
        ? "`mode: 'shared'`"
        : settings.permits > 1 && !store.capabilities.permits
          ? '`permits`'
          : settings.minHold > 0 && !store.capabilities.minHold
            ? '`minHold`'
            : undefined;
    if (missing) {
      throw new LockOptionsError(`the ${store.name} store '${name}' cannot do ${missing}.`, { site });
    }
  }
}

/** Whether providers of a module are given the `LockService` of this `LockModule`. */
function sees(module: HostModule, home: HostModule): boolean {
  for (const imported of module.imports) {
    if (imported === home || (imported.exports.has(home.metatype) && sees(imported, home))) return true;
  }
  return false;
}
