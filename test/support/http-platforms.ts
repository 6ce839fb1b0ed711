import type { INestApplication, LoggerService, ModuleMetadata } from '@nestjs/common';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import { onTestFinished } from 'vitest';

export const PLATFORMS = ['Express', 'Fastify'] as const;
export type Platform = (typeof PLATFORMS)[number];

/** A logger that writes everything down, as `warn something`. */
class WrittenLog implements LoggerService {
  readonly lines: string[] = [];

  readonly log = this.#writer('log');
  readonly warn = this.#writer('warn');
  readonly error = this.#writer('error');

  /** What was logged at this level. */
  of(level: 'log' | 'warn' | 'error'): readonly string[] {
    return this.lines.filter((line) => line.startsWith(`${level} `));
  }

  #writer(level: string) {
    return (message: unknown): void => void this.lines.push(`${level} ${String(message)}`);
  }
}

export interface PlatformApp {
  readonly app: INestApplication;
  readonly log: WrittenLog;
  ask(path: string, init?: RequestInit): Promise<Response>;
}

/** An application over real HTTP, on a free port of this machine, closed when the test has ended. */
export async function bootOn(
  platform: Platform,
  metadata: ModuleMetadata,
  prepare: (app: INestApplication) => void = () => {},
): Promise<PlatformApp> {
  const module = await Test.createTestingModule(metadata).compile();
  const adapter = platform === 'Express' ? new ExpressAdapter() : new FastifyAdapter();
  const log = new WrittenLog();
  const app = module.createNestApplication(adapter, { logger: log, forceCloseConnections: true });
  onTestFinished(() => app.close());
  prepare(app);
  await app.listen(0, '127.0.0.1');
  const url = await app.getUrl();
  return { app, log, ask: (path, init) => fetch(`${url}${path}`, init) };
}
