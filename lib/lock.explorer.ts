import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService, ModuleRef } from '@nestjs/core';
import type { InstanceWrapper } from '@nestjs/core/injector/instance-wrapper.js';
import { lockedMethodsOf } from './decorators/locked-method.js';
import { LockService } from './lock.service.js';

/** At boot, checks every decorated method against the stores that it will meet, and not at its first call. */
@Injectable()
export class LockExplorer implements OnModuleInit {
  constructor(
    private readonly discovery: DiscoveryService,
    private readonly locks: LockService,
    private readonly app: ModuleRef,
  ) {}

  onModuleInit(): void {
    for (const wrapper of [...this.discovery.getProviders(), ...this.discovery.getControllers()]) {
      if (!this.#serves(wrapper)) continue; // that of another LockModule, in the same application
      for (const { settings, store, site, checkAtBoot } of lockedMethodsOf(wrapper.metatype)) {
        this.locks.engineFor(settings, store, site);
        checkAtBoot?.(wrapper, this.app);
      }
    }
  }

  /** Asks Nest what it injects, also into classes that have no instance yet: several modules may offer a service. */
  #serves(wrapper: InstanceWrapper): boolean {
    const injected = wrapper.getPropertiesMetadata() as
      | ReturnType<InstanceWrapper['getPropertiesMetadata']>
      | undefined;
    return injected?.some((property) => property.wrapper.instance === this.locks) ?? false;
  }
}
