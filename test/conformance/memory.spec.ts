import { describe, it } from 'vitest';
import { memoryStore } from '../../lib/index.js';
import { lockStoreConformance } from '../../lib/testing/index.js';

const store = memoryStore();

lockStoreConformance({
  describe,
  it,
  open: () => store,
  capabilities: { fencing: true, fair: true, shared: true, permits: true, minHold: true, scope: 'process' },
  // The process is the backend: there is nothing beside the store to ask.
  rawOwners: async (key) => (await store.inspect(key))?.holders.map(({ id }) => id) ?? [],
});
