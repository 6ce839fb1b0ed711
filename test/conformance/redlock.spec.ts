import { afterAll, describe, it } from 'vitest';
import { redlockStore } from '../../lib/stores/redlock/index.js';
import { lockStoreConformance } from '../../lib/testing/index.js';
import { RedlockServers } from '../support/redis/redlock-servers.js';

const nodes = await RedlockServers.start();
const clients = nodes.clients();

afterAll(() => nodes.stop());

describe('redlock over five servers', () => {
  lockStoreConformance({
    describe,
    it,
    open: () => redlockStore({ clients }),
    capabilities: {
      fencing: true,
      fair: false,
      shared: false,
      permits: false,
      minHold: true,
      scope: 'network',
    },
    rawOwners: (key) => nodes.ownersOf(`lock:${key}`),
  });
});
