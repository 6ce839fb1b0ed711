import { describe, expect, it } from 'vitest';
import { stateOf } from '../../../../lib/stores/redis/redis-state.js';

const [A, B, C] = ['a', 'b', 'c'].map((letter) => `${letter.repeat(8)}-0000-4000-8000-000000000000:1`) as [
  string,
  string,
  string,
];
/** The server's time: in microseconds, as tokens are, and in milliseconds, as the ends of leases are. */
const US = 1_800_000_000_000_000;
const MS = US / 1_000;

interface Reply {
  readonly value?: string;
  readonly expiresIn?: number;
  readonly fence?: string;
  readonly holders?: readonly string[];
  readonly tokens?: readonly string[];
  readonly queue?: readonly string[];
}

function state({ value = '', expiresIn = -2, fence = '0', holders = [], tokens = [], queue = [] }: Reply) {
  return stateOf('k', [value, expiresIn, fence, String(US), holders, tokens, queue]);
}

function waiter(id: string, mark = 'x', permits = 1): string {
  return `${mark}|${permits}|30000|5000|lock:inbox:1|${id}`;
}

describe('stateOf', () => {
  it('is null where nobody holds or waits, whatever is left of the fence', () => {
    expect(state({})).toBeNull();
    expect(state({ fence: String(US) })).toBeNull();
  });

  it('tells an exclusive holder', () => {
    expect(state({ value: A, expiresIn: 900, fence: String(US - 2_500_000) })).toEqual({
      key: 'k',
      permits: 1,
      holders: [{ id: A, mode: 'exclusive', fencingToken: US - 2_500_000, expiresIn: 900, heldFor: 2_500 }],
      waiters: [],
    });
  });

  it('never says that a lock was taken in the future', () => {
    expect(state({ value: A, fence: String(US + 5_000) })?.holders[0]?.heldFor).toBe(0);
  });

  it.each([
    ['another kind of client', 'f00f00', String(US)],
    ['another kind of client, with an id like ours', 'aaaaaaaa-0000-4000-8000-000000000000', String(US)],
    ['nobody, for a while after a release', '~kept', String(US)],
    ['one whose token has expired', A, '0'],
  ])('gives no token to %s', (_who, value, fence) => {
    expect(state({ value, expiresIn: 900, fence })?.holders).toEqual([
      { id: value, mode: 'exclusive', fencingToken: undefined, expiresIn: 900, heldFor: undefined },
    ]);
  });

  it('tells readers, each with its own token and end', () => {
    const holders = [A, String(MS + 100), B, String(MS + 200)];
    const tokens = [B, String(US - 1_000), A, String(US - 2_000)];
    expect(state({ value: '~shared', expiresIn: 200, fence: String(US), holders, tokens })).toEqual({
      key: 'k',
      permits: 1,
      holders: [
        { id: A, mode: 'shared', fencingToken: US - 2_000, expiresIn: 100, heldFor: 2 },
        { id: B, mode: 'shared', fencingToken: US - 1_000, expiresIn: 200, heldFor: 1 },
      ],
      waiters: [],
    });
  });

  it('tells the holders of a semaphore, also one that only keeps its permit', () => {
    const holders = [A, String(MS + 100), `~kept:${B}`, String(MS + 200)];
    const found = state({ value: '~permits:3', holders, tokens: [A, String(US)] });
    expect(found?.permits).toBe(3);
    expect(found?.holders).toMatchObject([
      { id: A, mode: 'exclusive', fencingToken: US },
      { id: `~kept:${B}`, fencingToken: undefined, heldFor: undefined },
    ]);
  });

  it('tells who waits, in order, with their mode', () => {
    const queue = [waiter(B), waiter(C, 's')];
    expect(state({ value: A, queue })?.waiters).toEqual([
      { id: B, mode: 'exclusive' },
      { id: C, mode: 'shared' },
    ]);
  });

  it('tells who waits for a key that nobody holds, and with how many permits', () => {
    expect(state({ queue: [waiter(A, 'x', 4)] })).toEqual({
      key: 'k',
      permits: 4,
      holders: [],
      waiters: [{ id: A, mode: 'exclusive' }],
    });
  });

  it('takes an id as it is, with whatever is in it', () => {
    expect(state({ value: A, queue: [waiter('x|y|z')] })?.waiters).toEqual([
      { id: 'x|y|z', mode: 'exclusive' },
    ]);
  });
});
