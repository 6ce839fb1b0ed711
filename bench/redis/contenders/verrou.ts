import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Redis } from 'ioredis';

/** From `dist/bench/redis/contenders`. */
const FOLDER = new URL('../../../../bench/redis/verrou/', import.meta.url);
const BUILD = new URL('node_modules/@verrou/core/build/', FOLDER);

interface Lock {
  acquire(): Promise<boolean>;
  release(): Promise<void>;
}

interface VerrouPackage {
  readonly Verrou: new (config: {
    readonly default: string;
    readonly stores: Readonly<Record<string, { readonly driver: unknown }>>;
  }) => { createLock(key: string, ttl: number): Lock };
  redisStore(options: { readonly connection: Redis }): unknown;
}

/** In a folder of its own: it names ioredis 5 as its peer, and npm would refuse it beside ioredis 6. */
export async function loadVerrou(): Promise<VerrouPackage> {
  if (!existsSync(BUILD)) {
    execFileSync('npm', ['install', '--no-package-lock', '--no-audit', '--no-fund', '--loglevel=error'], {
      cwd: fileURLToPath(FOLDER),
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  }
  const [{ Verrou }, { redisStore }] = await Promise.all([
    import(new URL('index.js', BUILD).href),
    import(new URL('src/drivers/redis.js', BUILD).href),
  ]);
  return { Verrou, redisStore };
}
