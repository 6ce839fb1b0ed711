import { isBusy } from '../../lib/index.js';
import { besides, type Flaw } from './broken-stores.js';

export const modeFlaws: readonly Flaw[] = [
  {
    flaw: 'accepts another number of permits',
    noticedBy: ['refuses another number of permits while the key is in use'],
    breakIt: (good) => ({
      acquire: (request, wait) => good.acquire(request, wait).catch(() => ({ busy: true as const })),
    }),
  },
  {
    flaw: 'grants more than there are permits',
    noticedBy: ['lets in as many as there are permits'],
    breakIt: (good) => ({
      acquire: async (request, wait) => {
        const outcome = await good.acquire(request, wait);
        return isBusy(outcome) && request.permits > 1 ? besides(good, request) : outcome;
      },
    }),
  },
  {
    flaw: 'grants one permit only',
    noticedBy: ['lets in as many as there are permits', 'gives the permit of a dead holder to one who waits'],
    breakIt: (good) => ({
      acquire: (request, wait) => good.acquire({ ...request, permits: 1 }, wait),
    }),
  },
  {
    flaw: 'lets a writer in beside readers',
    noticedBy: ['lets readers in together, and no writer beside them'],
    breakIt: (good) => ({
      acquire: async (request, wait) => {
        const outcome = await good.acquire(request, wait);
        if (!isBusy(outcome) || request.mode === 'shared') return outcome;
        const holders = (await good.inspect(request.key))?.holders ?? [];
        return holders.some(({ mode }) => mode === 'shared') ? besides(good, request) : outcome;
      },
    }),
  },
  {
    flaw: 'treats a reader as a writer',
    noticedBy: ['lets readers in together, and no writer beside them'],
    breakIt: (good) => ({
      acquire: (request, wait) => good.acquire({ ...request, mode: 'exclusive' }, wait),
    }),
  },
];
