import type { Lease, RenewOutcome } from '../lock-store.js';
import { quorumOf } from './redlock-attempt.js';
import type { Extension, RedlockNode } from './redlock-node.js';
import { RedlockQuorumError } from './redlock-quorum.error.js';

/** A script renews no more than this many, so that it does not keep a node from others for long. */
const MOST = 100;

/** Renews leases on all nodes at once. Each is decided as soon as a majority has said so, or can't any more. */
export async function renewOnNodes(
  nodes: readonly RedlockNode[],
  leases: readonly Lease[],
  timeout: number,
  isHeld: (lease: Lease) => boolean,
): Promise<readonly RenewOutcome[]> {
  const batches: Promise<readonly RenewOutcome[]>[] = [];
  for (let start = 0; start < leases.length; start += MOST) {
    batches.push(new Renewal(nodes, leases.slice(start, start + MOST), timeout, isHeld).outcomes);
  }
  return (await Promise.all(batches)).flat();
}

class Renewal {
  readonly outcomes: Promise<readonly RenewOutcome[]>;
  #resolve!: (outcomes: readonly RenewOutcome[]) => void;
  readonly #answers = new Map<RedlockNode, readonly Extension[] | Error>();
  readonly #decided: (RenewOutcome | undefined)[];
  #undecided: number;

  constructor(
    private readonly nodes: readonly RedlockNode[],
    private readonly leases: readonly Lease[],
    timeout: number,
    /** Not released meanwhile. */
    private readonly isHeld: (lease: Lease) => boolean,
  ) {
    this.#decided = leases.map(() => undefined);
    this.#undecided = leases.length;
    this.outcomes = new Promise((resolve) => {
      this.#resolve = resolve;
    });
    for (const node of nodes) {
      node.extend(leases, timeout).then(
        (extensions) => this.#count(node, extensions),
        (error: Error) => this.#count(node, error),
      );
    }
  }

  #count(node: RedlockNode, answer: readonly Extension[] | Error): void {
    this.#answers.set(node, answer);
    if (this.#undecided > 0) {
      for (const index of this.leases.keys()) if (this.#decided[index] === undefined) this.#decide(index);
      if (this.#undecided > 0) return;
      this.#resolve(this.#decided as RenewOutcome[]);
      for (const each of this.#answers.keys()) this.#heal(each);
    } else {
      this.#heal(node);
    }
  }

  #decide(index: number): void {
    const quorum = quorumOf(this.nodes);
    const said = [...this.#answers.values()].flatMap((answer) =>
      answer instanceof Error ? [] : (answer[index] ?? 'missing'),
    );
    const renewed = said.filter((extension) => extension === 'renewed').length;
    const lost = said.length - renewed;
    if (renewed >= quorum) this.#settle(index, 'renewed');
    else if (lost > this.nodes.length - quorum) this.#settle(index, 'lost');
    else if (this.#answers.size === this.nodes.length) this.#settle(index, this.#unknown(index));
  }

  #settle(index: number, outcome: RenewOutcome): void {
    this.#decided[index] = outcome;
    this.#undecided -= 1;
  }

  /** Only of what a majority is known to hold, and only now that it is known. */
  #heal(node: RedlockNode): void {
    const answer = this.#answers.get(node);
    if (!answer || answer instanceof Error) return;
    const lacking = this.leases.filter(
      (lease, index) =>
        this.#decided[index] === 'renewed' && answer[index] === 'missing' && this.isHeld(lease),
    );
    if (lacking.length > 0) node.heal(lacking);
  }

  #unknown(index: number): Error {
    const said = [...this.#answers].map(([{ name }, answer]) => {
      const text = answer instanceof Error ? answer.message : answer[index];
      return `${name}: ${text}`;
    });
    return new RedlockQuorumError(said);
  }
}
