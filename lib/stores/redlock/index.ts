export type { RedlockStoreOptions } from './redlock.options.js';
export { redlockStore } from './redlock.store.js';
export { RedlockQuorumError } from './redlock-quorum.error.js';
