import {
  type AcquireOutcome,
  isBusy,
  type Lease,
  type LeaseRequest,
  type LockStore,
  type WaitBudget,
} from '../../lib/index.js';

/** One way to get the contract wrong: what a store does instead, and the tests that have to notice. */
export interface Flaw {
  readonly flaw: string;
  readonly noticedBy: readonly string[];
  /** Made anew for every run, on a store that does everything right. */
  readonly breakIt: (good: LockStore) => Partial<LockStore>;
}

export function brokenStore(good: LockStore, { breakIt }: Flaw): LockStore {
  const changes = breakIt(good);
  return new Proxy(good, {
    get(target, name) {
      const source = name in changes ? changes : target;
      const value: unknown = Reflect.get(source, name);
      return typeof value === 'function' ? value.bind(source) : value;
    },
  });
}

export const NO_WAIT: WaitBudget = { timeout: 0, onWaiting: () => {}, onEnd: () => {} };

/** A lease of the key that the store knows nothing of: it was granted under another name. */
export async function besides(good: LockStore, request: LeaseRequest): Promise<AcquireOutcome> {
  const outcome = await good.acquire({ ...request, key: `${request.key}#${request.id}` }, NO_WAIT);
  return isBusy(outcome) ? outcome : { ...outcome, key: request.key };
}

/** Changes every lease that is granted. */
function granting(good: LockStore, change: (lease: Lease, askedAt: Lease['grantedAt']) => Lease) {
  return {
    acquire: async (request: LeaseRequest, wait: WaitBudget): Promise<AcquireOutcome> => {
      const askedAt = { monotonic: performance.now(), wall: Date.now() };
      const outcome = await good.acquire(request, wait);
      return isBusy(outcome) ? outcome : change(outcome, askedAt);
    },
  };
}

/** Keeps keys under other names. */
function renaming(good: LockStore, rename: (key: string) => string): Partial<LockStore> {
  const renamed = <T extends { key: string }>(named: T): T => ({ ...named, key: rename(named.key) });
  return {
    acquire: (request, wait) => good.acquire(renamed(request), wait),
    release: (lease, keepFor) => good.release(renamed(lease), keepFor),
    renew: (leases) => good.renew(leases.map(renamed)),
  };
}

export const grantFlaws: readonly Flaw[] = [
  {
    flaw: 'grants a held key to a second',
    noticedBy: ['grants a free key to one, and to no other'],
    breakIt: (good) => ({
      acquire: async (request, wait) => {
        const outcome = await good.acquire(request, NO_WAIT);
        if (!isBusy(outcome)) return outcome;
        return wait.timeout > 0 ? good.acquire(request, wait) : besides(good, request);
      },
    }),
  },
  {
    flaw: 'lets those who should wait in at once',
    noticedBy: ['never lets two work at once', 'grants to one who waits when the holder releases'],
    breakIt: (good) => ({
      acquire: async (request, wait) => {
        const outcome = await good.acquire(request, NO_WAIT);
        return isBusy(outcome) && wait.timeout > 0 ? besides(good, request) : outcome;
      },
    }),
  },
  {
    flaw: 'gives the same token with every grant',
    noticedBy: ['gives tokens that only rise'],
    breakIt: (good) => granting(good, (lease) => ({ ...lease, fencingToken: 7 })),
  },
  {
    flaw: 'gives a new token to a repeated request',
    noticedBy: ['answers a repeated request with the lease that it has already'],
    breakIt: (good) => {
      let repeats = 0;
      return granting(good, (lease) => {
        repeats += 1;
        return { ...lease, fencingToken: (lease.fencingToken ?? 0) + repeats };
      });
    },
  },
  {
    flaw: 'finds a repeated request busy, by its own lease',
    noticedBy: ['answers a repeated request with the lease that it has already'],
    breakIt: (good) => {
      const seen = new Set<string>();
      return {
        acquire: async (request, wait) => {
          if (seen.has(request.id)) return { busy: true, holder: request.id };
          seen.add(request.id);
          return good.acquire(request, wait);
        },
      };
    },
  },
  {
    flaw: 'reckons a lease from when it was asked for, so that it is born expired after a long wait (peers.md 1)',
    noticedBy: ['grants a whole ttl to one who waited longer than that'],
    breakIt: (good) => granting(good, (lease, askedAt) => ({ ...lease, grantedAt: askedAt })),
  },
  {
    flaw: 'reckons a lease from a moment to come',
    noticedBy: ['grants what was asked for, from a moment that is not in the future'],
    breakIt: (good) =>
      granting(good, (lease) => ({
        ...lease,
        grantedAt: { monotonic: performance.now() + 1_000, wall: Date.now() + 1_000 },
      })),
  },
  {
    flaw: 'takes keys for the same that differ in case',
    noticedBy: ['keeps different keys apart, whatever they are made of'],
    breakIt: (good) => renaming(good, (key) => key.toLowerCase()),
  },
  {
    flaw: 'takes keys for the same that differ in white space',
    noticedBy: ['keeps different keys apart, whatever they are made of'],
    breakIt: (good) => renaming(good, (key) => key.trimEnd()),
  },
  {
    flaw: 'cuts long keys',
    noticedBy: ['keeps different keys apart, whatever they are made of'],
    breakIt: (good) => renaming(good, (key) => key.slice(0, 255)),
  },
];
