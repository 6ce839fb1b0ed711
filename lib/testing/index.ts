export {
  type ConformanceOptions,
  type ConformanceRunner,
  lockStoreConformance,
} from './conformance/conformance.js';
export { ControllableStore, type ForeignHold } from './controllable.store.js';
export { ManualClock } from './manual-clock.js';
