import type { HolderState, LockMode, LockState, WaiterState } from '../lock-store.js';
import { isOurs } from './redis-owner.js';

type InspectTuple = [
  value: string,
  expiresIn: number,
  fence: string,
  timeInMicroseconds: string,
  holders: readonly string[],
  tokens: readonly string[],
  queue: readonly string[],
];

/** The reply of the inspect script as a state; `null` when nobody holds the key or waits for it. */
export function stateOf(key: string, reply: unknown): LockState | null {
  const [value, expiresIn, fence, time, holders, tokens, queue] = reply as InspectTuple;
  if (value === '' && queue.length === 0) return null;
  const now = Number(time) / 1_000;
  const shared = value === '~shared';
  const permits = value.startsWith('~permits:')
    ? Number(value.slice('~permits:'.length))
    : permitsOf(queue[0]);
  if (!shared && !value.startsWith('~permits:')) {
    return {
      key,
      permits: value === '' ? permits : 1,
      holders: value === '' ? [] : [holderOf(value, 'exclusive', tokenOfLock(value, fence), expiresIn, now)],
      waiters: queue.map(waiterOf),
    };
  }
  const tokenOf = new Map(pairs(tokens));
  return {
    key,
    permits: shared ? 1 : permits,
    holders: pairs(holders).map(([id, end]) =>
      holderOf(id, shared ? 'shared' : 'exclusive', tokenOf.get(id), end - now, now),
    ),
    waiters: queue.map(waiterOf),
  };
}

/** The last token is that of the holder only if the holder is ours; it may have expired during a long hold. */
function tokenOfLock(owner: string, fence: string): number | undefined {
  return isOurs(owner) && fence !== '0' ? Number(fence) : undefined;
}

/** A token is the time of its grant in microseconds, unless grants came faster than that or clocks went back. */
function holderOf(
  id: string,
  mode: LockMode,
  fencingToken: number | undefined,
  expiresIn: number,
  now: number,
): HolderState {
  const heldFor = fencingToken === undefined ? undefined : Math.max(0, now - fencingToken / 1_000);
  return { id, mode, fencingToken, expiresIn, heldFor };
}

function waiterOf(member: string): WaiterState {
  const [mode, , , , , ...id] = member.split('|');
  return { id: id.join('|'), mode: mode === 's' ? 'shared' : 'exclusive' };
}

function permitsOf(member: string | undefined): number {
  return member === undefined ? 1 : Number(member.split('|')[1]);
}

function pairs(flat: readonly string[]): [id: string, score: number][] {
  return flat.flatMap((id, index) =>
    index % 2 === 0 ? [[id, Number(flat[index + 1])] as [string, number]] : [],
  );
}
