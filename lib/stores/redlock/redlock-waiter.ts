import { Place } from '../../base/fifo.js';
import type { AcquireOutcome, Lease, LeaseRequest, WaitBudget } from '../lock-store.js';
import type { Ballots } from './redlock-attempt.js';
import { busynessOf, quorumError } from './redlock-ballots.js';
import type { RedlockLine } from './redlock-line.js';

/** How the nodes are asked. */
export interface WaiterNodes {
  /** The lease, or the votes without a majority. Each attempt has an id of its own. */
  attempt(request: LeaseRequest): Promise<Lease | Ballots>;
  giveBack(lease: Lease): void;
  left(waiter: RedlockWaiter): void;
}

/** One request that waits. */
export class RedlockWaiter {
  readonly place: Place<this> = new Place(this);
  readonly outcome: Promise<AcquireOutcome>;
  #resolve!: (outcome: AcquireOutcome) => void;
  #reject!: (error: unknown) => void;
  #attempts = 1;
  #ended = false;
  #isLooking = false;
  #lookAgain = false;
  #ballots: Ballots | undefined;

  constructor(
    private readonly request: LeaseRequest,
    readonly line: RedlockLine,
    private readonly nodes: WaiterNodes,
    wait: WaitBudget,
  ) {
    this.outcome = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    line.waiters.push(this);
    wait.onWaiting();
    wait.onEnd(() => this.#end());
  }

  /** Asks the nodes, one question at a time. */
  look(): void {
    if (this.#ended) return;
    if (this.#isLooking) {
      this.#lookAgain = true;
      return;
    }
    this.#isLooking = true;
    this.#attempts += 1;
    // What is still on its way to end an earlier attempt must not end this one.
    this.nodes.attempt({ ...this.request, id: `${this.request.id}/${this.#attempts}` }).then(
      (answer) => this.#looked(() => this.answered(answer)),
      // The wait goes on: the nodes may be back before it is over.
      (error) => this.#looked(() => this.line.failed(error)),
    );
  }

  answered(answer: Lease | Ballots): void {
    this.line.failure = undefined;
    if ('grantedAt' in answer) {
      if (this.#ended) this.nodes.giveBack(answer);
      else {
        this.#leave();
        this.#resolve(answer);
      }
      return;
    }
    this.#ballots = answer;
    this.line.busy(busynessOf(answer));
  }

  #looked(then: () => void): void {
    this.#isLooking = false;
    then();
    if (!this.#lookAgain) return;
    this.#lookAgain = false;
    this.look();
  }

  #end(): void {
    if (this.#ended) return;
    this.#leave();
    if (this.line.failure !== undefined) this.#reject(this.line.failure);
    else this.#resolve(busy(this.#ballots));
  }

  #leave(): void {
    this.#ended = true;
    this.line.leave(this);
    this.nodes.left(this);
  }
}

export function busy(ballots: Ballots | undefined): AcquireOutcome {
  if (!ballots) return { busy: true };
  return { busy: true, holder: busynessOf(ballots).holder, cause: quorumError(ballots) };
}
