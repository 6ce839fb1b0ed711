import type { Redis } from 'ioredis';
import type { LockStore } from 'nestjs-distributed-lock';
import { redlockStore } from 'nestjs-distributed-lock/redlock';
import { RedlockServers } from '../../test/support/redis/redlock-servers.js';

/** Runs a measurement against five Redis servers of its own. */
export async function withNodes<R>(measure: (nodes: RedlockServers) => Promise<R>): Promise<R> {
  const nodes = await RedlockServers.start();
  try {
    return await measure(nodes);
  } finally {
    await nodes.stop();
  }
}

/** Clients as ioredis makes them when it is told nothing. */
export function plainClients(nodes: RedlockServers): readonly Redis[] {
  return nodes.clients({ maxRetriesPerRequest: 20 });
}

/** With a time limit, in milliseconds, as the other libraries need it: they wait for ever for a node that hangs. */
export function tunedClients(nodes: RedlockServers): readonly Redis[] {
  return nodes.clients({ maxRetriesPerRequest: 20, commandTimeout: 250 });
}

/**
 * Ours, for what is measured while all nodes are healthy. With the default `nodeTimeout` of 50 ms an error would end
 * the run on a machine that is too busy to let each of the five servers have its turn in that time.
 */
export function patientStore(clients: readonly Redis[]): LockStore {
  return redlockStore({ clients, nodeTimeout: '5s' });
}
