import type { Redis } from 'ioredis';
import { onTestFinished } from 'vitest';
import { type RedlockStoreOptions, redlockStore } from '../../../lib/stores/redlock/index.js';
import { locksOf, type RedisLocks } from './locks.js';
import type { RedlockProxies } from './redlock-proxies.js';
import type { RedlockServers } from './redlock-servers.js';

export interface RedlockLocks extends RedisLocks {
  readonly clients: readonly Redis[];
}

/** A node that is well may be slow while the machine is busy: longer than the default, where that is not the subject. */
const NODE_TIMEOUT = '200ms';

/** Locks as an application has them, on servers or on what stands before them, through clients of its own. */
export async function redlockOn(
  nodes: RedlockServers | RedlockProxies,
  options: Partial<RedlockStoreOptions> = {},
  storeTimeout = 1_500,
): Promise<RedlockLocks> {
  const clients = options.clients ?? clientsOf(nodes);
  // Those that have not been connected yet are given more time.
  await Promise.all(clients.map((client) => client.ping()));
  const warnings: string[] = [];
  const onWarning = (message: string) => warnings.push(message);
  const store = redlockStore({ nodeTimeout: NODE_TIMEOUT, onWarning, ...options, clients });
  return { ...locksOf(store, storeTimeout), clients, warnings };
}

/** Resolves when nodes have carried out what was sent to them, and what followed from their answers. */
export async function settled({ clients }: Pick<RedlockLocks, 'clients'>): Promise<void> {
  // Who a node is, its vote by hash, its vote by script: each may be sent only after the answer to the one before.
  for (let round = 0; round < 4; round += 1) await Promise.all(clients.map((client) => client.ping()));
}

/** Closed when the test has ended. */
function clientsOf(nodes: RedlockServers | RedlockProxies): readonly Redis[] {
  const clients = nodes.clients();
  onTestFinished(() => {
    for (const client of clients) client.disconnect();
  });
  return clients;
}
