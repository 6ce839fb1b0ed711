import { isBusy, type LockStore, type LockStoreCapabilities } from '../../lib/index.js';
import { type Flaw, NO_WAIT } from './broken-stores.js';

/** Leases that last for ever, whatever their ttl. */
const forEver = (good: LockStore): Partial<LockStore> => ({
  acquire: async (request, wait) => {
    const outcome = await good.acquire({ ...request, ttl: 3_600_000 }, wait);
    return isBusy(outcome) ? outcome : { ...outcome, ttl: request.ttl };
  },
});

export const endingFlaws: readonly Flaw[] = [
  {
    flaw: 'releases for anyone',
    noticedBy: [
      'releases for its owner only, and only once',
      'lets a stale owner neither release nor renew after a takeover',
    ],
    breakIt: (good) => ({ release: ({ key }) => good.forceRelease(key) }),
  },
  {
    flaw: 'says that a release has succeeded, whatever came of it',
    noticedBy: [
      'releases for its owner only, and only once',
      'ends a lease that nobody renews, and tells its late owner',
    ],
    breakIt: (good) => ({ release: async (lease, keepFor) => (await good.release(lease, keepFor)) || true }),
  },
  {
    flaw: 'does not release',
    noticedBy: ['grants a free key to one, and to no other'],
    breakIt: () => ({ release: async () => true }),
  },
  {
    flaw: 'frees at once what is to be kept',
    noticedBy: [
      'keeps the key locked for as long as it is told, and then frees it',
      'hands a kept key to one who waited for its holder, when the time has come',
    ],
    breakIt: (good) => ({ release: (lease) => good.release(lease) }),
  },
  {
    flaw: 'revives a lease that has ended',
    noticedBy: ['ends a lease that nobody renews, and tells its late owner'],
    breakIt: (good) => ({
      renew: async (leases) => {
        const outcomes = await Promise.all(leases.map((lease) => good.acquire(lease, NO_WAIT)));
        await good.renew(leases);
        return outcomes.map((outcome) => (isBusy(outcome) ? 'lost' : 'renewed'));
      },
    }),
  },
  {
    flaw: 'renews nothing, and says that it did',
    noticedBy: ['keeps a lease that is renewed', 'renews for the ttl that the lease then has'],
    breakIt: () => ({ renew: async (leases) => leases.map(() => 'renewed') }),
  },
  {
    flaw: 'renews for the ttl of the first grant',
    noticedBy: ['renews for the ttl that the lease then has'],
    breakIt: (good) => ({ renew: (leases) => good.renew(leases.map((lease) => ({ ...lease, ttl: 200 }))) }),
  },
  {
    flaw: 'ends a lease sooner where it is renewed for a shorter time',
    noticedBy: ['never ends a lease sooner by renewing it'],
    breakIt: (good) => ({
      renew: (leases) => {
        for (const lease of leases) setTimeout(() => void good.release(lease), lease.ttl).unref();
        return good.renew(leases);
      },
    }),
  },
  {
    flaw: 'tells of the first of many leases only',
    noticedBy: ['renews many in one call, and tells for each what became of it'],
    breakIt: (good) => ({
      renew: async (leases) => {
        const [first = 'lost'] = await good.renew(leases);
        return leases.map(() => first);
      },
    }),
  },
  {
    flaw: 'never ends a lease by itself',
    noticedBy: [
      'ends a lease that nobody renews, and tells its late owner',
      'gives the key of a dead holder to one who waits',
      'gives the permit of a dead holder to one who waits',
      'frees the places of readers that died',
    ],
    breakIt: forEver,
  },
  {
    flaw: 'shows nobody',
    noticedBy: ['tells who holds a key, for how long, and who waits'],
    breakIt: () => ({ inspect: async () => null }),
  },
  {
    flaw: 'lists everything, whatever the prefix',
    noticedBy: ['lists what is held, by prefix'],
    breakIt: (good) => ({ list: () => good.list() }),
  },
  {
    flaw: 'takes nothing by force',
    noticedBy: ['takes a key from its holder by force, and hands it to one who waits'],
    breakIt: () => ({ forceRelease: async () => false }),
  },
  {
    flaw: 'cannot be pinged',
    noticedBy: ['can be pinged'],
    breakIt: () => ({ ping: () => Promise.reject(new Error('no answer')) }),
  },
  {
    flaw: 'says of itself what it is not tested for',
    noticedBy: ['has the capabilities that it is tested for'],
    breakIt: (good) => ({
      capabilities: { ...good.capabilities, scope: 'network' } satisfies LockStoreCapabilities,
    }),
  },
];
