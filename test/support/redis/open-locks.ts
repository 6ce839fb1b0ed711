import type { Provider } from '@nestjs/common';
import type { TestingModule } from '@nestjs/testing';
import { LockModule, LockService } from '../../../lib/index.js';
import { type RedisStoreOptions, redisStore } from '../../../lib/stores/redis/index.js';
import { bootModule } from '../boot-app.js';
import { EventLog } from '../event-log.js';

interface OpenLocks {
  readonly app: TestingModule;
  readonly locks: LockService;
  readonly log: EventLog;
}

/** An application with locks on a Redis, closed when the test has ended; what is held by then is given up at once. */
export async function openLocks(
  options: RedisStoreOptions,
  ...providers: readonly Provider[]
): Promise<OpenLocks> {
  const log = new EventLog();
  const locks = LockModule.forRoot({ store: redisStore(options), observers: [log], shutdownTimeout: 0 });
  const app = await bootModule({ imports: [locks], providers: [...providers] });
  return { app, locks: app.get(LockService), log };
}
