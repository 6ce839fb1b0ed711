/**
 * Votes that a node has not answered. A script that the node does not know is sent a second time, as a whole, so that a
 * release may overtake the vote that it is meant to end.
 */
export class VotesUnderWay {
  /** By the id: whether a release has come to nothing meanwhile. */
  readonly #overtaken = new Map<string, boolean>();

  begin(id: string): void {
    this.#overtaken.set(id, false);
  }

  releaseCameToNothing(id: string): void {
    if (this.#overtaken.has(id)) this.#overtaken.set(id, true);
  }

  /** Whether the vote was overtaken. */
  end(id: string): boolean {
    const overtaken = this.#overtaken.get(id) === true;
    this.#overtaken.delete(id);
    return overtaken;
  }
}
