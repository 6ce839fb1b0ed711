import type { Redis } from 'ioredis';
import { asError } from '../../base/as-error.js';

/** What a node says of itself. */
export interface NodeIdentity {
  /** Of the server's process: the same for two clients only if they reach the same server. */
  readonly runId: string;
  readonly isReplica: boolean;
}

/** Undefined when the user of the client may not ask. */
export async function identityOf(client: Redis): Promise<NodeIdentity | undefined> {
  try {
    const [server, replication] = await Promise.all([client.info('server'), client.info('replication')]);
    return { runId: fieldOf(server, 'run_id'), isReplica: fieldOf(replication, 'role') === 'slave' };
  } catch (error) {
    if (asError(error).message.startsWith('NOPERM')) return undefined;
    throw error;
  }
}

function fieldOf(info: string, name: string): string {
  return new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1] ?? '';
}
