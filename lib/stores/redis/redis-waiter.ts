import { Place } from '../../base/fifo.js';
import type { AcquireOutcome, LeaseRequest, WaitBudget } from '../lock-store.js';
import type { AcquireReply } from './redis-commands.js';
import type { RedisLine } from './redis-line.js';
import { isKept, isOurs } from './redis-owner.js';

type BusyReply = Exclude<AcquireReply, { granted: true }>;

/** How the server is asked. */
export interface WaiterServer {
  /** With its place in line, if this process can be woken; otherwise without. */
  acquire(request: LeaseRequest, wait: number): Promise<AcquireReply>;
  /** Gives up the place in line, and whatever was granted. */
  withdraw(request: LeaseRequest, wait: number): Promise<void>;
  left(waiter: RedisWaiter): void;
  /** Nobody can be woken here: there will never be a place in line. */
  readonly isMute: boolean;
}

/** Until a holder that is not ours, and tells nobody when it ends, is looked at again: at most, in milliseconds. */
const FOREIGN = 100;
/** What may pass between the end of a lease and the look at it. */
const JITTER = 30;

/** One request that waits: woken by a message, by the line's timer, or after the inbox was opened anew. */
export class RedisWaiter {
  readonly place: Place<this> = new Place(this);
  readonly outcome: Promise<AcquireOutcome>;
  #resolve!: (outcome: AcquireOutcome) => void;
  #reject!: (error: unknown) => void;
  #holder: string | undefined;
  #ended = false;
  /** Has said that it waits: once it has its place in line. */
  #told = false;
  #looking = false;
  #lookAgain = false;
  /** Why the last question was not answered; undefined when it was. */
  #failure: unknown;

  constructor(
    readonly request: LeaseRequest,
    readonly line: RedisLine,
    private readonly server: WaiterServer,
    private readonly wait: WaitBudget,
  ) {
    this.outcome = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  begin(reply: AcquireReply): void {
    this.line.waiters.push(this);
    this.#answered(reply);
    this.wait.onEnd(() => void this.#end());
  }

  /** Asks the server: takes what was granted, or keeps the place in line. One question at a time. */
  look(): void {
    if (this.#ended) return;
    if (this.#looking) {
      this.#lookAgain = true;
      return;
    }
    this.#looking = true;
    this.server.acquire(this.request, this.wait.timeout).then(
      (reply) => this.#looked(() => this.#answered(reply)),
      // The server is out of reach. The wait goes on: it may be back before the wait is over.
      (error) => this.#looked(() => this.#notAnswered(error)),
    );
  }

  #looked(then: () => void): void {
    this.#looking = false;
    then();
    if (!this.#lookAgain) return;
    this.#lookAgain = false;
    this.look();
  }

  #answered(reply: AcquireReply): void {
    this.#failure = undefined;
    if (this.#ended) {
      // Withdrawn while the question was on its way; what it may have brought after all is given back too. Should
      // that fail, the server side of this keeps it as a leftover and tries again.
      this.server.withdraw(this.request, this.wait.timeout).catch(() => {});
      this.line.lookIn(FOREIGN); // for those behind: this may have been their timer
    } else if (reply.granted) {
      this.#leave();
      // Should the lease end without a release, or nobody be woken by one, those behind have to notice it themselves.
      this.line.lookIn(this.server.isMute ? FOREIGN * Math.random() : reply.lease.ttl + JITTER);
      this.#resolve(reply.lease);
    } else {
      if (!this.#told && (reply.inLine || this.server.isMute)) {
        this.#told = true;
        this.wait.onWaiting();
      }
      this.#holder = reply.holder;
      this.line.lookIn(nextLook(reply));
    }
  }

  #notAnswered(error: unknown): void {
    this.#failure = error;
    this.line.lookIn(FOREIGN);
  }

  async #end(): Promise<void> {
    if (this.#ended) return;
    this.#leave();
    try {
      await this.server.withdraw(this.request, this.wait.timeout);
    } catch (error) {
      this.#failure = error;
    }
    // Not known to be busy when the server was out of reach, or refused.
    if (this.#failure === undefined) this.#resolve({ busy: true, holder: this.#holder });
    else this.#reject(this.#failure);
  }

  #leave(): void {
    this.#ended = true;
    this.line.leave(this);
    this.server.left(this);
  }
}

/** One in line is woken; it looks by itself only when the holder's lease should have ended. */
function nextLook({ holder, expiresIn, inLine }: BusyReply): number {
  const jitter = Math.random() * JITTER;
  if (expiresIn < 0) return FOREIGN * Math.random(); // gone meanwhile, or without an end
  const tellsNobody = holder !== undefined && !isOurs(holder) && !isKept(holder);
  if (!inLine || tellsNobody) return Math.min(expiresIn, FOREIGN * Math.random());
  return expiresIn + jitter;
}
