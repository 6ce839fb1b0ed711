import type { LockState } from 'nestjs-distributed-lock';

/** One line of the table of locks. */
export interface LockRow {
  readonly key: string;
  readonly holder: string;
  /** Milliseconds since the grant; null where the store cannot tell. */
  readonly heldFor: number | null;
  /** Milliseconds left of the lease unless it is renewed. */
  readonly expiresIn: number;
  readonly token: number | null;
  /** How many wait for the key. */
  readonly waiting: number;
}

export function rowsOf({ key, holders, waiters }: LockState): readonly LockRow[] {
  return holders.map(({ id, heldFor, expiresIn, fencingToken }) => ({
    key,
    holder: id,
    heldFor: heldFor === undefined ? null : Math.round(heldFor),
    expiresIn: Math.round(expiresIn),
    token: fencingToken ?? null,
    waiting: waiters.length,
  }));
}
