import { asError } from '../../base/as-error.js';
import type { Clock } from '../../base/clock.js';
import type { Lease, RenewOutcome } from '../lock-store.js';

/** A script renews no more than this many, so that it does not keep the server from others for long. */
const MOST = 100;

/**
 * Renews leases in batches of one slot. A batch that fails, or is not answered while there is time to try again,
 * leaves its own leases uncertain and no others: one dead shard does not starve the rest.
 */
export async function renewInBatches(
  leases: readonly Lease[],
  slotOf: (lease: Lease) => string,
  clock: Clock,
  renew: (batch: readonly Lease[]) => Promise<readonly RenewOutcome[]>,
): Promise<readonly RenewOutcome[]> {
  const outcomes = new Map<Lease, RenewOutcome>();
  // That of the shortest lease of all: answers are given together, and none may wait for another's dead shard.
  const patience = leases.reduce((least, { ttl }) => Math.min(least, ttl), Number.POSITIVE_INFINITY) / 6;
  const renewed = batchesOf(leases, slotOf).map(async (batch) => {
    const answers = await within(clock, patience, renew(batch)).catch((error: unknown) =>
      batch.map(() => asError(error)),
    );
    for (const [index, lease] of batch.entries()) outcomes.set(lease, answers[index] ?? 'lost');
  });
  await Promise.all(renewed);
  return leases.map((lease) => outcomes.get(lease) ?? 'lost');
}

function batchesOf(leases: readonly Lease[], slotOf: (lease: Lease) => string): Lease[][] {
  const open = new Map<string, Lease[]>();
  const batches: Lease[][] = [];
  for (const lease of leases) {
    const slot = slotOf(lease);
    let batch = open.get(slot);
    if (!batch || batch.length >= MOST) {
      batch = [];
      open.set(slot, batch);
      batches.push(batch);
    }
    batch.push(lease);
  }
  return batches;
}

function within<T>(clock: Clock, ms: number, answer: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = clock.setTimer(() => reject(new Error('Redis did not answer a renewal in time')), ms);
    answer.then(resolve, reject).finally(() => clock.clearTimer(timer));
  });
}
