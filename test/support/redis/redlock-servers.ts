import type { Redis } from 'ioredis';
import { freePort } from './free-port.js';
import { leftIn } from './locks.js';
import { type RedisConnection, RedisServer, type RedisServerOptions } from './redis-server.js';
import { until } from './until.js';

/** Independent servers, as Redlock wants them. */
export class RedlockServers {
  private constructor(readonly servers: readonly RedisServer[]) {}

  static async start(
    count = 5,
    optionsOf: (index: number) => RedisServerOptions = () => ({}),
  ): Promise<RedlockServers> {
    const ports = new Set<number>();
    while (ports.size < count) ports.add(await freePort());
    const starting = [...ports].map((port, index) => RedisServer.start({ port, ...optionsOf(index) }));
    return new RedlockServers(await Promise.all(starting));
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

  /** One for each server, closed with it, and with the settings that ioredis has by itself. */
  clients(options: RedisConnection = {}): Redis[] {
    return this.servers.map((server) => server.client({ maxRetriesPerRequest: 20, ...options }));
  }

  async kill(...indexes: readonly number[]): Promise<void> {
    await Promise.all(indexes.map((index) => this.at(index).kill()));
  }

  pause(...indexes: readonly number[]): void {
    for (const index of indexes) this.at(index).pause();
  }

  /** Those that are paused go on, those that were killed come back empty. */
  async heal(): Promise<void> {
    for (const server of this.servers) server.resume();
    await Promise.all(this.servers.filter(({ alive }) => !alive).map((server) => server.restart()));
  }

  async flush(): Promise<void> {
    await Promise.all(this.servers.map((server) => server.command('FLUSHALL')));
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

  /** Resolves when nothing is left but fencing tokens: soon, and not only when leases of half a minute end. */
  async nothingLeft(): Promise<void> {
    const left = async () => (await leftIn(...this.servers)).length;
    await until('nothing is left on any node', async () => (await left()) === 0, 8_000);
  }

  async stop(): Promise<void> {
    await Promise.all(this.servers.map((server) => server.stop()));
  }
}
