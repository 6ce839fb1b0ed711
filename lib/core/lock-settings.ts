import type { LockMode } from '../stores/lock-store.js';

/** Lock options after validation: every duration in milliseconds, every default filled in. */
export interface LockSettings {
  readonly ttl: number;
  readonly wait: number;
  readonly minHold: number;
  readonly maxHold: number | undefined;
  readonly renew: boolean;
  readonly mode: LockMode;
  readonly permits: number;
}

/** One call's wish to be inside a lock. */
export interface LockCall extends LockSettings {
  /** The method or call that asks, for messages. */
  readonly site: string | undefined;
  /** Gives up waiting. */
  readonly signal: AbortSignal | undefined;
}

/** A lease this short is hardly renewed in time; below it, none is. */
export const SHORTEST_TTL = 10;
