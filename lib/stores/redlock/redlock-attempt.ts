import type { LeaseRequest } from '../lock-store.js';
import { NodeError } from './node-error.js';
import type { LeaseName } from './redlock-node.js';

/** What a node says when it is asked for a key. */
export type Vote =
  | { readonly for: true; readonly token: number }
  | { readonly for: false; readonly holder: string; readonly expiresIn: number };

/** A node, as far as a grant depends on it. */
export interface Voter {
  readonly name: string;
  vote(request: LeaseRequest, timeout: number): Promise<Vote>;
  /** Raises the node's counter to the token; `false`: the node is not held by this lease any more. */
  raise(lease: LeaseName, token: number, timeout: number): Promise<boolean>;
  /** Ends whatever the node may have granted, or still will. */
  takeBack(lease: LeaseName): void;
}

/** What is known of a node's vote. */
export type Ballot = Vote | Error | undefined;

export type Ballots = ReadonlyMap<Pick<Voter, 'name'>, Ballot>;

/** The token, or what the nodes said instead. */
export type AttemptOutcome = number | Ballots;

export function quorumOf(nodes: readonly unknown[]): number {
  return Math.floor(nodes.length / 2) + 1;
}

/**
 * One attempt to be granted a key by a majority. All nodes are asked at once, and it is decided as soon as their votes
 * do so. What fails is taken back everywhere.
 *
 * The token is the highest among those of the nodes that count, and each of them has to be at this token while it is
 * held by this lease: any later majority shares a node with this one, and that node then counts on from it. Nodes agree
 * on the token unless one has missed a grant, so their votes are nearly always all that it takes.
 */
export class RedlockAttempt {
  readonly outcome: Promise<AttemptOutcome>;
  #resolve!: (outcome: AttemptOutcome) => void;
  #isDecided = false;
  readonly #ballots = new Map<Voter, Ballot>();
  /** To which token a node was asked to rise. */
  readonly #raises = new Map<Voter, number>();
  readonly #quorum: number;

  constructor(
    private readonly nodes: readonly Voter[],
    private readonly request: LeaseRequest,
    private readonly timeout: number,
  ) {
    this.#quorum = quorumOf(nodes);
    this.outcome = new Promise((resolve) => {
      this.#resolve = resolve;
    });
    for (const node of nodes) this.#ballots.set(node, undefined);
    for (const node of nodes) {
      node.vote(request, timeout).then(
        (vote) => this.#count(node, vote),
        (error: Error) => this.#count(node, error),
      );
    }
  }

  #count(node: Voter, ballot: Ballot): void {
    this.#ballots.set(node, ballot);
    if (this.#isDecided) return;
    let token = 0;
    let atToken = 0;
    let agreed = 0;
    let against = 0;
    let failed = 0;
    let unheard = 0;
    for (const each of this.#ballots.values()) {
      if (each === undefined) unheard += 1;
      else if (each instanceof Error) failed += 1;
      else if (!each.for) against += 1;
      if (!isAgreement(each)) continue;
      agreed += 1;
      if (each.token > token) atToken = 0;
      token = Math.max(token, each.token);
      if (each.token === token) atToken += 1;
    }
    if (atToken >= this.#quorum) this.#decide(token);
    else if (agreed >= this.#quorum) this.#raiseTo(token);
    // Not before it is known why: because others hold the key, or because too many nodes have failed.
    else if (Math.max(against, failed) > this.nodes.length - this.#quorum || unheard === 0) {
      this.#decide(this.#ballots);
    }
  }

  #raiseTo(token: number): void {
    for (const [node, ballot] of this.#ballots) {
      if (isAgreement(ballot) && ballot.token < token) this.#raise(node, token);
    }
  }

  #raise(node: Voter, token: number): void {
    if (this.#raises.get(node) === token) return;
    this.#raises.set(node, token);
    const counted = (ballot: Ballot) => {
      // Another node may have asked for more meanwhile.
      if (this.#raises.get(node) === token) this.#count(node, ballot);
    };
    node.raise(this.request, token, this.timeout).then(
      (raised) => counted(raised ? { for: true, token } : new NodeError('its lease was lost', false)),
      (error: Error) => counted(new NodeError(error.message, true, error)), // it has voted, whatever this was
    );
  }

  #decide(outcome: AttemptOutcome): void {
    this.#isDecided = true;
    if (outcome === this.#ballots) for (const node of this.nodes) this.#takeBackFrom(node);
    this.#resolve(outcome);
  }

  /** From all, the silent and the late too; only one that was not asked, or has answered no, surely has nothing. */
  #takeBackFrom(node: Voter): void {
    const ballot = this.#ballots.get(node);
    const wasNotAsked = ballot instanceof NodeError && !ballot.mayHaveActed;
    const isAgainst = ballot !== undefined && !(ballot instanceof Error) && !ballot.for;
    if (!wasNotAsked && !isAgainst) node.takeBack(this.request);
  }
}

function isAgreement(ballot: Ballot): ballot is Vote & { readonly for: true } {
  return ballot !== undefined && !(ballot instanceof Error) && ballot.for;
}
