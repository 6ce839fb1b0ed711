import { type Clock, type Instant, later, msUntil } from '../../base/clock.js';
import type { LeaseRequest } from '../lock-store.js';

const RETRY = 500;

interface Leftover {
  readonly request: LeaseRequest;
  readonly wait: number;
  /** By then nothing of the request is left on the server, whatever it may have granted. */
  readonly endsAt: Instant;
}

/**
 * Requests that failed without an answer: the server may have granted them all the same, or a client that queues
 * commands may still send them. They are taken back, again and again until the server confirms it.
 */
export class RedisLeftovers {
  readonly #leftovers = new Set<Leftover>();
  #timer: unknown;
  #closed = false;

  constructor(
    readonly clock: Clock,
    readonly takeBack: (request: LeaseRequest, wait: number) => Promise<unknown>,
  ) {}

  /** Tries at once, so that a client which still has the request in its queue sends this right behind it. */
  add(request: LeaseRequest, wait: number): void {
    const endsAt = later(this.clock.now(), request.ttl + wait);
    this.takeBack(request, wait).catch(() => this.#keep({ request, wait, endsAt }));
  }

  close(): void {
    this.#closed = true;
    this.clock.clearTimer(this.#timer);
    this.#leftovers.clear();
  }

  #keep(leftover: Leftover): void {
    if (this.#closed) return;
    if (this.#leftovers.size === 0) this.#sweepLater();
    this.#leftovers.add(leftover);
  }

  #sweepLater(): void {
    this.clock.clearTimer(this.#timer);
    if (!this.#closed) this.#timer = this.clock.setTimer(() => void this.#sweep(), RETRY);
  }

  /** One after another until one fails: an outage leaves many, and a server that is away is asked but once. */
  async #sweep(): Promise<void> {
    for (const leftover of this.#leftovers) {
      const { request, wait, endsAt } = leftover;
      this.#leftovers.delete(leftover);
      if (msUntil(endsAt, this.clock.now()) <= 0) continue;
      try {
        await this.takeBack(request, wait);
      } catch {
        this.#leftovers.add(leftover); // behind the others, which may be on another node of a cluster
        break;
      }
    }
    if (this.#leftovers.size > 0) this.#sweepLater();
  }
}
