export type LockErrorCode = 'LOCK_BUSY' | 'LOCK_LOST' | 'LOCK_UNAVAILABLE' | 'LOCK_KEY' | 'LOCK_OPTIONS';

/** What every lock error is built from. */
export interface LockErrorDetails {
  /** The resolved key, where one is known. */
  readonly key?: string | undefined;
  /** The method or call that asked, such as `OrderService.ship`. */
  readonly site?: string | undefined;
  readonly cause?: unknown;
}

/** The base of every error that this library throws; tell them apart by class or by `code`. */
export abstract class LockError extends Error {
  abstract readonly code: LockErrorCode;
  /** The resolved key, where one is known. */
  readonly key: string | undefined;

  protected constructor(message: string, details: LockErrorDetails) {
    super(
      details.site === undefined ? message : `${details.site}: ${message}`,
      details.cause === undefined ? undefined : { cause: details.cause },
    );
    this.key = details.key;
  }

  /** On the prototype, so that it is not printed beside the stack of every error. */
  override get name(): string {
    return this.constructor.name;
  }
}

export interface LockBusyDetails extends LockErrorDetails {
  readonly key: string;
  /** How long the caller waited, in milliseconds. */
  readonly waited: number;
  /** The id of a holder, where the store can tell. */
  readonly holder?: string | undefined;
}

/** The key was held by another for the whole `wait`. */
export class LockBusyError extends LockError {
  override readonly code = 'LOCK_BUSY';
  /** How long the caller waited, in milliseconds. */
  readonly waited: number;
  /** The id of a holder, where the store can tell. */
  readonly holder: string | undefined;

  constructor(details: LockBusyDetails) {
    const holder = details.holder === undefined ? 'another' : details.holder;
    const waited = details.waited > 0 ? ` after waiting ${Math.round(details.waited)} ms` : '';
    super(
      `"${details.key}" is locked by ${holder}${waited}. ` +
        'Raise `wait` to wait longer, or set `onBusy` to say what happens instead.',
      details,
    );
    this.waited = details.waited;
    this.holder = details.holder;
  }
}

/**
 * Why a hold ended before its work did:
 * - `expired`: no renewal was confirmed in time (the store was silent, or this process was paused);
 * - `taken`: the store no longer knows the lease (removed by hand, or the store lost its data);
 * - `max-hold`: `maxHold` ran out;
 * - `shutdown`: the work outlived `shutdownTimeout`;
 * - `released`: this code released it.
 */
export type LockLossReason = 'expired' | 'taken' | 'max-hold' | 'shutdown' | 'released';

export interface LockLostDetails extends LockErrorDetails {
  readonly key: string;
  readonly reason: LockLossReason;
}

const LOSS: Record<LockLossReason, string> = {
  expired: 'its lease could not be renewed in time, so another may hold it now',
  taken: 'the store no longer knows this lease: it was removed by hand, or the store lost its data',
  'max-hold': '`maxHold` ran out while the work was still going on',
  shutdown: 'the application shut down and the work outlived `shutdownTimeout`',
  released: 'this code released it',
};

/** The lock ended before the work did: the work may have overlapped with another holder's. */
export class LockLostError extends LockError {
  override readonly code = 'LOCK_LOST';
  readonly reason: LockLossReason;

  constructor(details: LockLostDetails) {
    super(
      `"${details.key}" is no longer locked: ${LOSS[details.reason]}. ` +
        'Stop work on `signal`, and guard writes with the fencing token.',
      details,
    );
    this.reason = details.reason;
  }
}

/** `store`: it is down or silent. `shutdown`: the application is shutting down. */
export type LockUnavailableReason = 'store' | 'shutdown';

export interface LockUnavailableDetails extends LockErrorDetails {
  readonly reason: LockUnavailableReason;
  /** What went wrong, as the end of a sentence. */
  readonly problem: string;
  /**
   * What cannot be done.
   * @default 'locked'
   */
  readonly action?: 'locked' | 'inspected' | 'listed' | 'released' | undefined;
}

/** The store could not be asked, did not answer in time, or the application is shutting down. */
export class LockUnavailableError extends LockError {
  override readonly code = 'LOCK_UNAVAILABLE';
  readonly reason: LockUnavailableReason;

  constructor(details: LockUnavailableDetails) {
    const { key, action = 'locked', reason } = details;
    const what = key === undefined ? 'locks' : `"${key}"`;
    const problem = details.problem.replace(/\.$/, ''); // some drivers end their messages with one
    const advice =
      action === 'locked' && reason === 'store'
        ? " Where the lock only saves work, `onUnavailable: 'run'` runs without it."
        : '';
    super(`${what} cannot be ${action}: ${problem}.${advice}`, details);
    this.reason = details.reason;
  }
}

/** A key could not be made from the template, the function or the arguments. */
export class LockKeyError extends LockError {
  override readonly code = 'LOCK_KEY';

  constructor(message: string, details: LockErrorDetails = {}) {
    super(message, details);
  }
}

/** An option, or a combination of options, cannot work. */
export class LockOptionsError extends LockError {
  override readonly code = 'LOCK_OPTIONS';

  constructor(message: string, details: LockErrorDetails = {}) {
    super(message, details);
  }
}
