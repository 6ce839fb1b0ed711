import { ConfigurableModuleBuilder } from '@nestjs/common';
import { DEFAULTS, type LockModuleOptions } from './lock.options.js';

export const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN, OPTIONS_TYPE } =
  new ConfigurableModuleBuilder<LockModuleOptions>()
    .setClassMethodName('forRoot')
    .setFactoryMethodName('createLockOptions')
    .setExtras<{ isGlobal?: boolean }>(
      {
        /**
         * Whether every module can inject the `LockService` and use `@DistributedLock()` without importing this one.
         * @default true
         */
        isGlobal: DEFAULTS.isGlobal,
      },
      (definition, { isGlobal }) => ({ ...definition, global: isGlobal ?? DEFAULTS.isGlobal }),
    )
    .build();
