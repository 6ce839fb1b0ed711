/** What is known of a value in the cache, kept beside it where values are loaded anew before they are gone. */
export interface Freshness {
  /** Milliseconds since 1970, by the clock of the process that loaded it. Clocks that differ shift the next load. */
  readonly freshUntil: number;
  /** How long the load took, in milliseconds. */
  readonly loadedIn: number;
}

/**
 * Whether a reader should load the value anew: always once it is stale, and by chance before, as in the XFetch algorithm
 * (Vattani, Chierichetti, Lowenstein: Optimal Probabilistic Cache Stampede Prevention, VLDB 2015). The first of many
 * readers begins a few load times before the end: the more read, the earlier, but only by the logarithm of their number.
 */
export function isDue(
  { freshUntil, loadedIn }: Freshness,
  earlyRefresh: number,
  now: number,
  random: () => number,
): boolean {
  const headStart = -Math.log(1 - random()) * loadedIn * earlyRefresh; // random() may be 0, but is never 1
  return now + headStart >= freshUntil;
}
