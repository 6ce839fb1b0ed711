/** What the shop needs of a database, and the token by which it is injected. Values are anything that JSON can hold. */
export abstract class Database {
  abstract read<T>(key: string): Promise<T | undefined>;

  abstract write(key: string, value: unknown): Promise<void>;

  /**
   * Writes unless another with a larger token has written before: then it rejects with a `StaleWriteError`, and nothing
   * is changed. An equal token is the same holder, writing again. `docs/fencing.md` has the same for SQL.
   */
  abstract writeFenced(key: string, value: unknown, fencingToken: number): Promise<void>;

  /** Adds one to a number, which begins at 0, in one step. */
  abstract increment(key: string): Promise<number>;

  /** What `increment` has come to. */
  abstract count(key: string): Promise<number>;
}
