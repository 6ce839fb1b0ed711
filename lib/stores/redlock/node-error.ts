/** Why a node gave no vote. */
export class NodeError extends Error {
  constructor(
    message: string,
    /** The node may have carried out what it was asked, or still will. */
    readonly mayHaveActed: boolean,
    cause?: unknown,
  ) {
    super(message, cause === undefined ? undefined : { cause });
  }
}
