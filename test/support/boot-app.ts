import type {
  INestApplication,
  ModuleMetadata,
  NestApplicationOptions,
  Provider,
  Type,
} from '@nestjs/common';
import { Test, type TestingModule } from '@nestjs/testing';
import { onTestFinished } from 'vitest';
import { LockModule, type LockModuleOptions, LockService } from '../../lib/index.js';
import { ControllableStore } from '../../lib/testing/index.js';
import { EventLog } from './event-log.js';

/** An initialised application that is closed when the test has ended. */
export async function bootModule(metadata: ModuleMetadata): Promise<TestingModule> {
  const app = await Test.createTestingModule(metadata).compile();
  onTestFinished(() => app.close());
  return app.init();
}

export interface LockedApp<T> {
  readonly app: TestingModule;
  readonly store: ControllableStore;
  readonly log: EventLog;
  readonly locks: LockService;
  /** The instance of the class under test. */
  readonly service: T;
}

export interface BootOptions extends Omit<LockModuleOptions, 'store'> {
  readonly store?: ControllableStore;
  readonly providers?: readonly Provider[];
}

/** An application around one class, on a store that the test controls. */
export async function bootWith<T>(type: Type<T>, options: BootOptions = {}): Promise<LockedApp<T>> {
  const { store = new ControllableStore(), providers = [], observers = [], ...rest } = options;
  const log = new EventLog();
  const app = await Test.createTestingModule({
    imports: [LockModule.forRoot({ store, observers: [log, ...observers], ...rest })],
    providers: [type, ...providers],
  }).compile();
  onTestFinished(() => closeOn(store, app));
  await app.init();
  return { app, store, log, locks: app.get(LockService), service: app.get(type) };
}

/** Also where a failed test left the store down or a method running: time goes on until everything has ended. */
async function closeOn(store: ControllableStore, app: TestingModule): Promise<void> {
  store.comeBack();
  const closed = app.close();
  await store.clock.advance('1m');
  await closed;
}

export interface HttpApp {
  readonly app: INestApplication;
  readonly url: string;
}

/** The same over real HTTP, on a free port of this machine. */
export async function bootHttp(
  metadata: ModuleMetadata,
  options: NestApplicationOptions = { forceCloseConnections: true },
): Promise<HttpApp> {
  const module = await Test.createTestingModule(metadata).compile();
  const app = module.createNestApplication({ logger: false, ...options });
  onTestFinished(() => app.close());
  await app.listen(0, '127.0.0.1');
  return { app, url: await app.getUrl() };
}
