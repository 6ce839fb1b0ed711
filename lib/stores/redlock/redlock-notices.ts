import type { Redis } from 'ioredis';
import { asError } from '../../base/as-error.js';
import type { RedlockNode } from './redlock-node.js';

/** What is heard of the keys that are watched. */
export interface NoticeEvents {
  /** A node released the key, and told so many processes. */
  freed(key: string, processes: number): void;
  /** From now on a release would be heard; one that came before was missed. */
  listening(key: string): void;
}

/**
 * Hears from one node when keys are released on it, on a connection of its own that is opened at the first wait. A
 * node that cannot tell is not asked again; those who wait then look from time to time.
 */
export class NodeNotices {
  readonly #keyOf = new Map<string, string>();
  readonly #heard = new Set<string>();
  #subscriber: Redis | undefined;
  #isClosed = false;

  constructor(
    private readonly node: RedlockNode,
    private readonly events: NoticeEvents,
  ) {}

  hears(key: string): boolean {
    return this.#heard.has(this.node.channelOf(key));
  }

  watch(key: string): void {
    if (this.#isClosed) return;
    const channel = this.node.channelOf(key);
    this.#keyOf.set(channel, key);
    this.#open();
    if (this.#subscriber?.status === 'ready') this.#subscribe(this.#subscriber, [channel]);
  }

  unwatch(key: string): void {
    const channel = this.node.channelOf(key);
    this.#keyOf.delete(channel);
    this.#heard.delete(channel);
    // Should it fail, the connection is broken, and the next one begins without.
    if (this.#subscriber?.status === 'ready') this.#subscriber.unsubscribe(channel).catch(() => {});
  }

  close(): void {
    this.#isClosed = true;
    this.#subscriber?.disconnect();
  }

  #open(): void {
    if (this.#subscriber) return;
    const subscriber = this.node.connection.subscriber();
    this.#subscriber = subscriber;
    subscriber.on('error', () => {}); // every failure ends in `close`
    subscriber.on('message', (channel: string, processes: string) => {
      const key = this.#keyOf.get(channel);
      if (key !== undefined) this.events.freed(key, Number(processes));
    });
    subscriber.on('ready', () => this.#subscribe(subscriber, [...this.#keyOf.keys()]));
    subscriber.on('close', () => this.#heard.clear());
    subscriber.connect().catch(() => {}); // told by `close`, and tried again
  }

  #subscribe(subscriber: Redis, channels: readonly string[]): void {
    if (channels.length === 0) return;
    subscriber.subscribe(...channels).then(
      () => {
        for (const channel of channels) {
          const key = this.#keyOf.get(channel);
          if (key === undefined) continue;
          this.#heard.add(channel);
          this.events.listening(key);
        }
      },
      (error: unknown) => {
        if (asError(error).message.startsWith('NOPERM')) this.close();
      },
    );
  }
}
