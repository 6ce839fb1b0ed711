import type { LockState } from '../lock-store.js';
import type { NodeState } from './redlock-node.js';

/** Who holds a key on a majority; `null` when nobody does. */
export function stateOf(key: string, states: readonly NodeState[], quorum: number): LockState | null {
  for (const { holder } of states) {
    const held = states.filter((state) => state.holder === holder);
    if (holder === undefined || held.length < quorum) continue;
    return {
      key,
      permits: 1,
      holders: [
        {
          id: holder,
          mode: 'exclusive',
          // A majority is at the token of the grant. Of the others, one that voted late may be beyond it.
          fencingToken: isForeign(holder)
            ? undefined
            : nthLargest(
                held.map(({ token }) => token),
                quorum,
              ),
          expiresIn: nthLargest(
            held.map(({ expiresIn }) => expiresIn),
            quorum,
          ),
        },
      ],
      waiters: [],
    };
  }
  return null;
}

function nthLargest(values: readonly number[], n: number): number {
  return values.toSorted((a, b) => b - a)[n - 1] ?? 0;
}

/** Neither the id of a request of ours, nor that of one of its later attempts. */
function isForeign(holder: string): boolean {
  return !/^[0-9a-f-]{36}:\d+(?:\/\d+)?$/.test(holder);
}
