import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Redis } from 'ioredis';
import { ensureDebianPackage } from '../../test/support/debian-package.js';
import { freePort } from '../../test/support/redis/free-port.js';
import { InVain, until } from '../../test/support/redis/until.js';
import { Program } from './program.js';
import { ShopClient } from './shop.client.js';

/** Milliseconds, on a slow machine too. */
const TIME_TO_START = 60_000;
const SHOP = fileURLToPath(new URL('../main.js', import.meta.url));

/** A Redis and several shops that share it, all on this machine. */
export class Fleet {
  readonly shops: ShopClient[] = [];
  readonly #programs: Program[] = [];
  readonly #folder = mkdtempSync(join(tmpdir(), 'shops-'));

  async startRedis(): Promise<string> {
    ensureDebianPackage('redis-server', 'redis-server');
    const port = await freePort();
    const settings = { port: String(port), bind: '127.0.0.1', dir: this.#folder, save: '', appendonly: 'no' };
    const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]);
    const url = `redis://127.0.0.1:${port}`;
    await this.#start(new Program('Redis', ['redis-server', ...args]), () => answersPing(url));
    return url;
  }

  async startShop(redisUrl: string): Promise<void> {
    const port = await freePort();
    const shop = new ShopClient(`http://127.0.0.1:${port}`);
    const env = { PORT: String(port), REDIS_URL: redisUrl };
    await this.#start(new Program(`the shop on port ${port}`, [process.execPath, SHOP], env), async () => {
      await shop.get('/locks');
      return true;
    });
    this.shops.push(shop);
  }

  /** Shops first, so that they find Redis while they end. */
  async stop(): Promise<void> {
    const [redis, ...shops] = this.#programs;
    await Promise.all(shops.map((shop) => shop.stop()));
    await redis?.stop();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #start(program: Program, answers: () => Promise<boolean>): Promise<void> {
    this.#programs.push(program);
    const check = async () => {
      if (program.failure) throw new InVain(program.failure);
      return answers();
    };
    await until(`${program.name} answers`, check, TIME_TO_START);
  }
}

async function answersPing(url: string): Promise<boolean> {
  const client = new Redis(url, { lazyConnect: true, retryStrategy: () => null });
  client.on('error', () => {}); // it does not answer yet
  try {
    await client.connect();
    return (await client.ping()) === 'PONG';
  } finally {
    client.disconnect();
  }
}
