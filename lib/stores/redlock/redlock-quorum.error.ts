/** The nodes did not come to a majority: what each of them said. It is the `cause` of the lock error. */
export class RedlockQuorumError extends Error {
  /** For each node its name, and its vote or why it has none. */
  readonly votes: readonly string[];

  constructor(votes: readonly string[]) {
    super(`no majority of the ${votes.length} nodes: ${votes.join('; ')}`);
    this.votes = votes;
  }

  override get name(): string {
    return 'RedlockQuorumError';
  }
}
