import { describe, expect, it } from 'vitest';
import type { Lease, RenewOutcome } from '../../../../lib/stores/lock-store.js';
import { renewInBatches } from '../../../../lib/stores/redis/redis-renewal.js';
import { ManualClock } from '../../../../lib/testing/index.js';

const clock = new ManualClock();

function leases(count: number, ttl = 30_000, slot = 's'): Lease[] {
  return Array.from({ length: count }, (_, index) => ({
    id: `${slot}:${index}`,
    key: `${slot}:${index}`,
    ttl,
    mode: 'exclusive',
    permits: 1,
    fencingToken: 1,
    grantedAt: clock.now(),
  }));
}

const slotOf = ({ key }: Lease) => key.split(':')[0] as string;
const allRenewed = async (batch: readonly Lease[]): Promise<RenewOutcome[]> => batch.map(() => 'renewed');

describe('renewInBatches', () => {
  it('asks nothing for nothing', async () => {
    const never = () => Promise.reject(new Error('asked'));
    expect(await renewInBatches([], slotOf, clock, never)).toEqual([]);
  });

  it.each([
    [1, [1]],
    [100, [100]],
    [101, [100, 1]],
    [250, [100, 100, 50]],
  ])('renews %i leases of one slot in batches of at most a hundred', async (count, sizes) => {
    const asked: number[] = [];
    const outcomes = await renewInBatches(leases(count), slotOf, clock, (batch) => {
      asked.push(batch.length);
      return allRenewed(batch);
    });
    expect(asked).toEqual(sizes);
    expect(outcomes).toEqual(Array(count).fill('renewed'));
  });

  it('puts together only what lies in one slot, and answers in the order of the leases', async () => {
    const [a, b] = [leases(3, 30_000, 'a'), leases(2, 30_000, 'b')];
    const mixed = [a[0], b[0], a[1], b[1], a[2]] as Lease[];
    const asked: string[][] = [];
    const outcomes = await renewInBatches(mixed, slotOf, clock, async (batch) => {
      asked.push(batch.map(({ id }) => id));
      return batch.map(({ id }) => (id === 'b:0' || id === 'a:2' ? 'lost' : 'renewed'));
    });
    expect(asked).toEqual([
      ['a:0', 'a:1', 'a:2'],
      ['b:0', 'b:1'],
    ]);
    expect(outcomes).toEqual(['renewed', 'lost', 'renewed', 'renewed', 'lost']);
  });

  it('leaves only its own leases uncertain when a batch fails (peers.md 21)', async () => {
    const mixed = [...leases(2, 30_000, 'dead'), ...leases(2, 30_000, 'alive')];
    const failure = new Error('CLUSTERDOWN');
    const outcomes = await renewInBatches(mixed, slotOf, clock, (batch) =>
      batch[0]?.key.startsWith('dead') ? Promise.reject(failure) : allRenewed(batch),
    );
    expect(outcomes).toEqual([failure, failure, 'renewed', 'renewed']);
  });

  it('makes an error of whatever else a batch rejects with', async () => {
    const reason: unknown = 'down';
    const outcomes = await renewInBatches(leases(1), slotOf, clock, () => Promise.reject(reason));
    expect(outcomes).toEqual([new Error('down')]);
  });

  it('waits for a silent batch only while there is time to try again (peers.md 21)', async () => {
    const mixed = [
      ...leases(1, 60_000, 'silent'),
      ...leases(1, 6_000, 'silent'),
      ...leases(1, 6_000, 'alive'),
    ];
    let settled = false;
    const renewing = renewInBatches(mixed, slotOf, clock, (batch) =>
      batch[0]?.key.startsWith('silent') ? new Promise<never>(() => {}) : allRenewed(batch),
    ).finally(() => {
      settled = true;
    });
    await clock.advance(999);
    expect(settled).toBe(false);
    await clock.advance(1); // a sixth of its shortest ttl
    expect(settled).toBe(true);
    const silence = expect.objectContaining({ message: 'Redis did not answer a renewal in time' });
    expect(await renewing).toEqual([silence, silence, 'renewed']);
  });

  it('heeds neither an answer nor a failure that comes after that', async () => {
    for (const end of ['resolve', 'reject'] as const) {
      let settle = () => {};
      const renewing = renewInBatches(leases(1, 600), slotOf, clock, () => {
        return new Promise((resolve, reject) => {
          settle = () => (end === 'resolve' ? resolve(['renewed']) : reject(new Error('late')));
        });
      });
      await clock.advance(100);
      expect(await renewing).toEqual([expect.any(Error)]);
      settle();
      await clock.advance(0);
    }
  });

  it('calls lost what a reply does not mention', async () => {
    expect(await renewInBatches(leases(2), slotOf, clock, async () => ['renewed'])).toEqual([
      'renewed',
      'lost',
    ]);
  });
});
