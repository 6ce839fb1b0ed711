import type { Redis } from 'ioredis';
import type { Clock } from '../../base/clock.js';
import type { RedisConnection } from './redis-connection.js';

const RETRY = 200;
/** Milliseconds between two signs of life. */
const HEARTBEAT = 5_000;

/** What a process hears of its requests: granted, or to look again after so many milliseconds. */
export interface InboxEvents {
  granted(id: string): void;
  lookIn(id: string, ms: number): void;
  /** The inbox can be relied on from now on; what was sent before may have been missed. */
  opened(): void;
  forbidden(error: unknown): void;
}

/**
 * The one channel on which this process is woken, on a connection of its own that is opened at the first wait.
 * While it is not open, waiting goes on by asking again.
 */
export class RedisInbox {
  #subscriber: Redis | undefined;
  #state: 'closed' | 'opening' | 'open' | 'forbidden' | 'ended' = 'closed';
  #retryTimer: unknown;
  #heartbeat: unknown;

  constructor(
    readonly connection: RedisConnection,
    readonly channel: string,
    readonly clock: Clock,
    readonly events: InboxEvents,
  ) {}

  get isOpen(): boolean {
    return this.#state === 'open';
  }

  /** Pub/sub is not allowed, and will not be. */
  get isForbidden(): boolean {
    return this.#state === 'forbidden';
  }

  /** Begins to listen, if that has not begun. */
  open(): void {
    if (this.#state !== 'closed') return;
    this.#state = 'opening';
    let subscriber: Redis;
    try {
      subscriber = this.connection.subscriber();
    } catch {
      this.#openLater(); // no node is known at this moment
      return;
    }
    this.#subscriber = subscriber;
    subscriber.on('error', () => {}); // every failure ends in `close`
    subscriber.on('message', (_channel, message: string) => this.#received(message));
    subscriber.on('ready', () => void this.#subscribe(subscriber));
    subscriber.on('close', () => {
      this.clock.clearTimer(this.#heartbeat);
      if (this.#state === 'open') this.#state = 'opening';
    });
    subscriber.on('end', () => this.#openLater());
    subscriber.connect().catch(() => {}); // told by `close`, and tried again
  }

  close(): void {
    this.#state = 'ended';
    this.clock.clearTimer(this.#retryTimer);
    this.clock.clearTimer(this.#heartbeat);
    this.#subscriber?.disconnect();
  }

  async #subscribe(subscriber: Redis): Promise<void> {
    try {
      await subscriber.subscribe(this.channel);
      // Whoever releases has to be able to publish; that it may, we learn from trying it ourselves.
      await this.connection.client.publish(this.channel, '');
      if (this.#state !== 'opening') return;
      this.#state = 'open';
      this.#beat(subscriber);
      this.events.opened();
    } catch (error) {
      if (!(error instanceof Error && error.message.startsWith('NOPERM'))) {
        this.#subscribeLater(subscriber);
        return;
      }
      this.#state = 'forbidden';
      subscriber.disconnect();
      this.events.forbidden(error);
    }
  }

  /**
   * Nothing is sent on this connection while nobody is woken, so what stands between may have dropped it, and nobody
   * would be told. One that does not answer until the next beat is given up for a new one.
   */
  #beat(subscriber: Redis): void {
    let isAlive = false;
    subscriber.ping().then(
      () => {
        isAlive = true;
      },
      () => {}, // ends in `close`
    );
    this.#heartbeat = this.clock.setTimer(() => {
      if (isAlive) this.#beat(subscriber);
      else subscriber.disconnect(true);
    }, HEARTBEAT);
  }

  /** One of the two connections broke: if it was the other one, this one will not be `ready` again by itself. */
  #subscribeLater(subscriber: Redis): void {
    if (this.#state !== 'opening') return;
    this.#retryTimer = this.clock.setTimer(() => {
      if (subscriber.status === 'ready') void this.#subscribe(subscriber);
    }, RETRY);
  }

  #openLater(): void {
    if (this.#state === 'ended' || this.#state === 'forbidden') return;
    this.#state = 'closed';
    this.#retryTimer = this.clock.setTimer(() => this.open(), RETRY);
  }

  #received(message: string): void {
    const [id, ms] = message.split(' ');
    if (!id) return; // our own trial
    if (ms === undefined) this.events.granted(id);
    else this.events.lookIn(id, Number(ms));
  }
}
