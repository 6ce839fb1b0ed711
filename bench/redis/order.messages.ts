export const KEY = 'bench:order';
/** How many waits each process begins. */
export const WAITS = 50;

/** One wait, by the clock that all processes share. */
export interface Wait {
  readonly askedAt: number;
  /** When it was known to stand in line. */
  readonly inLineAt: number;
  /** Rises from grant to grant. */
  readonly token: number;
}
