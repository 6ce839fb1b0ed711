import type { TickAt } from './tick.js';

/** How much sooner than after the interval a turn is free: the one before may have been slow on its way to the store. */
const slackOf = (interval: number) => Math.min(interval / 10, 1_000);

/**
 * Instances start at moments of their own, so their turns have no common times, and need no common clock: whoever
 * comes first takes the turn, and the next is free when the interval is nearly over.
 */
export function intervalTicks(interval: number): TickAt {
  const tick = {
    name: 'interval',
    title: 'a turn',
    period: interval,
    minHold: Math.ceil(interval - slackOf(interval)),
  };
  return () => tick;
}
