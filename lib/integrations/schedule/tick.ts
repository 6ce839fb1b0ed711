/** One moment at which a job is due. All instances know it by the same name, whatever their clocks say. */
export interface Tick {
  /** Tells it from the ticks before and after it, in the key of its claim. */
  readonly name: string;
  /** For messages, as in "skipped the tick of 2026-01-01T03:00:00.000Z". */
  readonly title: string;
  /** From this tick to the next, in milliseconds. */
  readonly period: number;
  /** How long its claim lasts, in milliseconds. */
  readonly minHold: number;
}

/** The tick that a call at this moment, in milliseconds since 1970, is for. */
export type TickAt = (now: number) => Tick;
