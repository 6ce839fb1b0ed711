import { LockOptionsError } from '../../lock.errors.js';
import type { NodeIdentity } from './node-identity.js';

/** Who is who among the nodes: one server must not vote twice, and a replica not at all. */
export class NodeRegister {
  readonly #nodeOf = new Map<string, string>();
  readonly #refusals = new Map<string, LockOptionsError>();

  constructor(private readonly warn: (message: string) => void) {}

  /** Why no lock can be had with these clients. */
  get refusal(): LockOptionsError | undefined {
    for (const refusal of this.#refusals.values()) return refusal;
    return undefined;
  }

  /** Throws when the node cannot be one. `isFirst`: it has not been connected before. */
  enter(node: string, identity: NodeIdentity | undefined, isFirst: boolean): void {
    if (!identity) {
      this.warn(
        `${node} may not be asked who it is, so nobody checks that it is a primary, and another server than the ` +
          'other clients have: allow +info.',
      );
      return;
    }
    // One that became a replica later refuses to vote by itself, and the others go on.
    if (identity.isReplica && isFirst) {
      this.#refuse(node, `${node} is a replica, which grants nothing: give a client of each primary.`);
    }
    const other = this.#nodeOf.get(identity.runId);
    if (other !== undefined && other !== node) {
      this.#refuse(
        node,
        `${other} and ${node} are the same server (run_id ${identity.runId}): one server has one vote.`,
      );
    }
    this.#nodeOf.set(identity.runId, node);
  }

  /** The connection has ended; the next one may lead to another server. */
  leave(node: string): void {
    this.#refusals.delete(node);
    for (const [runId, name] of this.#nodeOf) if (name === node) this.#nodeOf.delete(runId);
  }

  #refuse(node: string, problem: string): never {
    const refusal = new LockOptionsError(problem, { site: 'redlockStore()' });
    this.#refusals.set(node, refusal);
    this.warn(refusal.message);
    throw refusal;
  }
}
