import { createHash } from 'node:crypto';
import type { RedisConnection } from './redis-connection.js';

/**
 * A script that is sent by its hash, and as a whole only to a server that does not know it. (Not by ioredis's
 * `defineCommand`, which would add methods to a client that is not ours.)
 */
export class RedisScript {
  readonly #sha: string;

  constructor(readonly source: string) {
    this.#sha = createHash('sha1').update(source).digest('hex');
  }

  run(
    { client, writes }: RedisConnection,
    keys: readonly string[],
    args: readonly (string | number)[],
  ): Promise<unknown> {
    writes.begin();
    return client.evalsha(this.#sha, keys.length, ...keys, ...args).then(
      (reply) => {
        writes.end();
        return reply;
      },
      (error: unknown) => {
        writes.end();
        if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error;
        return client.eval(this.source, keys.length, ...keys, ...args);
      },
    );
  }
}
