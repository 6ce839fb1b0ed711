import type { Redis } from 'ioredis';
import { type RedisConnection, RedisServer } from './redis-server.js';

/** Independent servers, as Redlock wants them. */
export class RedlockServers {
  private constructor(readonly servers: readonly RedisServer[]) {}

  static async start(count = 5): Promise<RedlockServers> {
    return new RedlockServers(await Promise.all(Array.from({ length: count }, () => RedisServer.start())));
  }

  get quorum(): number {
    return Math.floor(this.servers.length / 2) + 1;
  }

  /** The server at this place, the first being 0. */
  at(index: number): RedisServer {
    const server = this.servers[index];
    if (!server) throw new Error(`there is no server ${index}`);
    return server;
  }

  /** One for each server, closed with it. */
  clients(options: RedisConnection = {}): Redis[] {
    return this.servers.map((server) => server.client(options));
  }

  /** What each server that is up has under this name. */
  async valuesOf(name: string): Promise<readonly (string | null)[]> {
    const up = this.servers.filter(({ alive }) => alive);
    return Promise.all(up.map(async (server) => (await server.command('GET', name)) as string | null));
  }

  /** Whoever has this key on a majority of the servers. */
  async ownersOf(name: string): Promise<readonly string[]> {
    const values = await this.valuesOf(name);
    const owners = new Set(values.filter((value) => value !== null && !value.startsWith('~')));
    return [...owners].filter(
      (owner) => values.filter((value) => value === owner).length >= this.quorum,
    ) as string[];
  }

  async stop(): Promise<void> {
    await Promise.all(this.servers.map((server) => server.stop()));
  }
}
