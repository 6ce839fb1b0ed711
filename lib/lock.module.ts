import { type DynamicModule, Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { LockExplorer } from './lock.explorer.js';
import { ConfigurableModuleClass, type OPTIONS_TYPE } from './lock.module-definition.js';
import { LockService } from './lock.service.js';

/**
 * Supplies the `LockService` and makes `@DistributedLock()` work, in every module unless `isGlobal` is `false`.
 * `forRootAsync()` takes the options from a factory (`useFactory`, `inject`) or from a provider with
 * `createLockOptions()` (`useClass`, `useExisting`).
 */
@Module({
  imports: [DiscoveryModule],
  providers: [LockService, LockExplorer],
  exports: [LockService],
})
export class LockModule extends ConfigurableModuleClass {
  /** Without options, locks are held in memory and exclude only callers in this process. */
  static override forRoot(options: typeof OPTIONS_TYPE = {}): DynamicModule {
    return super.forRoot(options);
  }
}
