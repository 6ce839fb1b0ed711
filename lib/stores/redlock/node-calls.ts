import { asError } from '../../base/as-error.js';
import type { Clock } from '../../base/clock.js';
import type { RedisConnection } from '../redis/redis-connection.js';
import { NodeError } from './node-error.js';

/** Milliseconds for a client that has never been connected: it may have been made a moment ago. */
const FIRST_CONNECTION = 1_000;

/**
 * Asks one node, and does not wait longer than agreed. While a node owes an answer it is asked nothing more, so that no
 * commands pile up before one that hangs; whoever asks meanwhile is put off until it has answered.
 */
export class NodeCalls {
  #wasReady: boolean;
  /** When the first of the answers that are owed should have come. */
  #silentSince: number | undefined;
  #owed = 0;
  #lastFailure: Error | undefined;
  #connections = 0;
  /** Those who were put off. */
  readonly #putOff = new Set<() => void>();
  readonly #onReady = () => {
    this.#wasReady = true;
    this.#lastFailure = undefined;
    this.#goOn();
  };
  /** What a connection owed ends with it: a client may never answer for what was under way. */
  readonly #onClose = () => {
    this.#connections += 1;
    this.#owed = 0;
    this.#silentSince = undefined;
  };
  readonly #onError = (error: Error) => {
    this.#lastFailure = error;
  };

  constructor(
    readonly connection: RedisConnection,
    readonly clock: Clock,
    /** The node can be asked again. */
    readonly onBack: () => void,
  ) {
    const { client } = connection;
    this.#wasReady = client.status === 'ready';
    client.on('ready', this.#onReady);
    client.on('close', this.#onClose);
    // Were this the only listener, ioredis would no longer print the errors of a client that is not ours.
    if (client.listenerCount('error') > 0) client.on('error', this.#onError);
  }

  ask<T>(timeout: number, send: () => Promise<T>): Promise<T> {
    const problem = this.#problem();
    if (problem) return Promise.reject(problem);
    return this.#silentSince === undefined ? this.#askNow(timeout, send) : this.#askOnceBack(timeout, send);
  }

  async #askOnceBack<T>(timeout: number, send: () => Promise<T>): Promise<T> {
    const startedAt = this.clock.now().monotonic;
    await new Promise<void>((resolve, reject) => {
      const goOn = () => {
        this.clock.clearTimer(timer);
        resolve();
      };
      const timer = this.clock.setTimer(() => {
        this.#putOff.delete(goOn);
        const silence = Math.round(this.clock.now().monotonic - (this.#silentSince ?? startedAt));
        reject(new NodeError(`no answer for ${silence} ms`, false));
      }, timeout);
      this.#putOff.add(goOn);
    });
    return this.#askNow(Math.max(1, timeout - (this.clock.now().monotonic - startedAt)), send);
  }

  #askNow<T>(timeout: number, send: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      let isAnswered = false;
      let isLate = false;
      const connection = this.#connections;
      const patience = this.#wasReady ? timeout : Math.max(timeout, FIRST_CONNECTION);
      const timeIsOver = () => {
        if (isAnswered) return;
        isLate = this.#connections === connection;
        if (isLate) this.#owes(patience);
        reject(new NodeError(`no answer within ${Math.round(patience)} ms`, true));
      };
      // An answer may lie in the socket already, when it was this process that had no time.
      const timer = this.clock.setTimer(() => setImmediate(timeIsOver), patience);
      const answered = () => {
        isAnswered = true;
        this.clock.clearTimer(timer);
        if (isLate && this.#connections === connection) this.#paid();
      };
      send().then(
        (answer) => {
          answered();
          resolve(answer);
        },
        (error: unknown) => {
          answered();
          reject(this.#failed(asError(error)));
        },
      );
    });
  }

  close(): void {
    this.connection.client.off('ready', this.#onReady);
    this.connection.client.off('close', this.#onClose);
    this.connection.client.off('error', this.#onError);
  }

  #problem(): NodeError | undefined {
    const { status } = this.connection.client;
    const mayConnect = status === 'wait' || (!this.#wasReady && status !== 'end');
    if (status === 'ready' || mayConnect) return undefined;
    const { message, code } = (this.#lastFailure ?? {}) as { message?: string; code?: string };
    const why = message || code;
    return new NodeError(`not connected${why ? `: ${why}` : ''}`, false, this.#lastFailure);
  }

  #failed(error: Error): NodeError {
    if (error instanceof NodeError) return error;
    // A reply that says no; anything else may have cost us only the answer.
    const isReply = error.name === 'ReplyError';
    return new NodeError(error.message, !isReply, error);
  }

  #owes(patience: number): void {
    this.#owed += 1;
    this.#silentSince ??= this.clock.now().monotonic - patience;
  }

  #paid(): void {
    this.#owed -= 1;
    if (this.#owed > 0) return;
    this.#silentSince = undefined;
    this.#goOn();
  }

  #goOn(): void {
    const putOff = [...this.#putOff];
    this.#putOff.clear();
    for (const goOn of putOff) goOn();
    this.onBack();
  }
}
