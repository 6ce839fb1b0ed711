import type { Redis } from 'ioredis';
import { onTestFinished } from 'vitest';
import { FaultProxy } from '../fault-proxy.js';
import type { RedisConnection } from './redis-server.js';
import type { RedlockServers } from './redlock-servers.js';

/** The network between one process and each of the servers; closed when the test has ended. */
export class RedlockProxies {
  private constructor(
    readonly nodes: RedlockServers,
    readonly proxies: readonly FaultProxy[],
  ) {}

  static async start(nodes: RedlockServers): Promise<RedlockProxies> {
    const proxies = await Promise.all(nodes.servers.map(({ port }) => FaultProxy.start(port)));
    onTestFinished(async () => {
      await Promise.all(proxies.map((proxy) => proxy.close()));
    });
    return new RedlockProxies(nodes, proxies);
  }

  /** Those at these places, the first being 0. */
  at(...indexes: readonly number[]): readonly FaultProxy[] {
    return this.proxies.filter((_, index) => indexes.includes(index));
  }

  clients(options: RedisConnection = {}): Redis[] {
    return this.nodes.servers.map((server, index) =>
      server.client({ port: this.proxies[index]?.port as number, maxRetriesPerRequest: 20, ...options }),
    );
  }

  heal(): void {
    for (const proxy of this.proxies) proxy.heal();
  }
}
