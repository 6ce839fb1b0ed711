import { type Cluster, Redis } from 'ioredis';
import type { RedisStoreOptions } from './redis.options.js';
import { RedisWrites } from './redis-writes.js';

/** How long a grant may wait for its replicas, in milliseconds. */
const REPLICATION_TIMEOUT = 500;

/** Milliseconds until the next attempt to connect. A second at most, so that locks are soon back after an outage. */
const retryStrategy = (attempt: number) => Math.min(attempt * 50, 1_000);

/** The client through which the store speaks: the user's, or one of its own. */
export class RedisConnection {
  readonly client: Redis | Cluster;
  readonly writes: RedisWrites;
  readonly isCluster: boolean;
  readonly #isOurs: boolean;
  #breaks = 0;
  readonly #onBreak = () => {
    this.#breaks += 1;
  };
  readonly #onNode = (node: Redis) => node.on('close', this.#onBreak);

  constructor(options: RedisStoreOptions) {
    this.#isOurs = !('client' in options);
    this.client = 'client' in options ? options.client : open(options);
    this.writes = new RedisWrites(this.client);
    this.isCluster = this.client.isCluster;
    if (this.client.isCluster) {
      for (const node of this.#nodes()) this.#onNode(node);
      this.client.on('+node', this.#onNode);
    } else {
      this.client.on('close', this.#onBreak);
    }
  }

  /** What ioredis puts before every key. */
  get keyPrefix(): string {
    return this.client.options.keyPrefix ?? '';
  }

  /**
   * Counts connections that broke. A command that was under way when one did may have been sent, and carried out,
   * twice: its answer is then that of the second time.
   */
  get breaks(): number {
    return this.#breaks;
  }

  /** Another connection like this one, to be subscribed with: it takes no other commands then. */
  subscriber(): Redis {
    const settings = {
      keyPrefix: '',
      lazyConnect: true,
      autoResubscribe: false,
      maxRetriesPerRequest: null,
      retryStrategy,
    };
    if (!this.client.isCluster) return (this.client as Redis).duplicate(settings);
    // Any node hears what is published on any other; a node that is gone is left for another.
    const nodes = this.#nodes();
    const node = nodes[Math.floor(Math.random() * nodes.length)];
    if (!node) throw new Error('no node of the cluster is known');
    return node.duplicate({ ...settings, retryStrategy: () => null });
  }

  /** The servers that hold keys: one, or the masters of a cluster. */
  masters(): readonly Redis[] {
    return this.client.isCluster ? (this.client as Cluster).nodes('master') : [this.client as Redis];
  }

  /** Rejects when a server that holds keys cannot be reached. */
  async ping(): Promise<void> {
    await this.client.ping();
    await Promise.all(this.masters().map((master) => master.ping()));
  }

  /** How many replicas have what was written for this key, after waiting for so many; WAIT is heard by its node. */
  async replicasOf(key: string, wanted: number): Promise<number> {
    const { breaks } = this;
    const results = await this.client.pipeline().exists(key).wait(wanted, REPLICATION_TIMEOUT).exec();
    const [error, reached] = results?.[1] ?? [new Error('no answer to WAIT'), 0];
    if (error) throw error;
    // A new connection has written nothing, and WAIT would vouch for that.
    if (this.breaks !== breaks) throw new Error('the connection broke while the lock was being replicated');
    return Number(reached);
  }

  close(): void {
    if (this.#isOurs) {
      this.client.disconnect();
      return;
    }
    this.client.off('close', this.#onBreak);
    this.client.off('+node', this.#onNode);
    for (const node of this.#nodes()) node.off('close', this.#onBreak);
  }

  #nodes(): readonly Redis[] {
    return this.client.isCluster ? (this.client as Cluster).nodes('all') : [];
  }
}

function open(options: Exclude<RedisStoreOptions, { client: unknown }>): Redis {
  const settings = { lazyConnect: true, maxRetriesPerRequest: 2, retryStrategy };
  const client =
    'url' in options
      ? new Redis(options.url, settings)
      : new Redis({ ...settings, ...options.options } as object);
  // Without a listener ioredis prints every failed attempt; each command that suffers from one rejects by itself.
  client.on('error', () => {});
  return client;
}
