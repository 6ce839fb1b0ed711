import { isBusy, type Lease, type LeaseRequest, type LockStore, type WaitBudget } from '../../lib/index.js';
import type { Flaw } from './broken-stores.js';

/** The outcome, or busy as soon as the caller gives up, while the store knows nothing of it. */
function giveUpInSecret(good: LockStore, request: LeaseRequest, wait: WaitBudget) {
  const outcome = good.acquire(request, { ...wait, onEnd: () => {} });
  const gaveUp = new Promise<{ busy: true }>((resolve) => wait.onEnd(() => resolve({ busy: true })));
  return Promise.race([outcome, gaveUp]);
}

export const waitingFlaws: readonly Flaw[] = [
  {
    flaw: 'keeps the place of one who gave up',
    noticedBy: [
      'leaves nothing behind of one who gave up',
      'lets readers go on when a writer before them gives up',
    ],
    breakIt: (good) => ({ acquire: (request, wait) => giveUpInSecret(good, request, wait) }),
  },
  {
    flaw: 'forgets a grant that came too late',
    noticedBy: ['returns a grant that came too late, so that it can be given back'],
    breakIt: (good) => ({
      acquire: async (request, wait) => {
        let gaveUp = false;
        wait.onEnd(() => {
          gaveUp = true;
        });
        const outcome = await good.acquire(request, wait);
        return gaveUp ? { busy: true } : outcome;
      },
    }),
  },
  {
    flaw: 'serves last the one who came first',
    noticedBy: ['serves those who wait in the order of their coming'],
    breakIt: (good) => {
      const lines = new Map<string, (() => void)[]>();
      return {
        acquire: async (request, wait) => {
          const now = await good.acquire(request, { ...wait, timeout: 0 });
          if (!isBusy(now) || wait.timeout <= 0) return now;
          wait.onWaiting();
          const line = lines.get(request.key) ?? [];
          lines.set(request.key, line);
          for (let outcome = now; ; ) {
            await new Promise<void>((resolve) => line.push(resolve));
            outcome = (await good.acquire(request, { ...wait, timeout: 0 })) as typeof now;
            if (!isBusy(outcome)) return outcome;
          }
        },
        release: async (lease, keepFor) => {
          const released = await good.release(lease, keepFor);
          lines.get(lease.key)?.pop()?.();
          return released;
        },
      };
    },
  },
  {
    flaw: 'lets one who does not wait pass those who do',
    noticedBy: ['lets one who does not wait pass nobody'],
    breakIt: (good) => ({
      acquire: async (request, wait) => {
        const outcome = await good.acquire(request, wait);
        const { holders = [], waiters = [] } = (await good.inspect(request.key)) ?? {};
        const passes = wait.timeout <= 0 && request.mode === 'shared' && waiters.length > 0;
        if (!isBusy(outcome) || !passes || holders.some(({ mode }) => mode !== 'shared')) return outcome;
        const lease: Lease = {
          ...request,
          fencingToken: 1,
          grantedAt: { monotonic: performance.now(), wall: Date.now() },
        };
        return lease;
      },
    }),
  },
  {
    flaw: 'lets readers pass a writer that waits',
    noticedBy: ['makes a reader wait behind a writer that waits, and then lets all readers in'],
    breakIt: (good) => ({
      acquire: async (request, wait) => {
        const { holders = [] } = (await good.inspect(request.key)) ?? {};
        const beside = request.mode === 'shared' && holders.some(({ mode }) => mode === 'shared');
        return good.acquire(beside ? { ...request, key: `${request.key}#${request.id}` } : request, wait);
      },
    }),
  },
  {
    flaw: 'gives up waiting too soon',
    noticedBy: ['is busy when the wait is over, and not before'],
    breakIt: (good) => ({
      acquire: (request, wait) =>
        good.acquire(request, { ...wait, onEnd: (callback) => void setTimeout(callback, wait.timeout / 2) }),
    }),
  },
  {
    flaw: 'does not wait',
    noticedBy: [
      'grants to one who waits when the holder releases',
      'gives the key of a dead holder to one who waits',
      'hands a kept key to one who waited for its holder, when the time has come',
      'frees the places of readers that died',
    ],
    breakIt: (good) => ({
      acquire: (request, wait) => good.acquire(request, { ...wait, timeout: 0 }),
    }),
  },
];
