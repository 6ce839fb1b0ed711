import type { LockSettings } from './core/lock-settings.js';
import { LockOptionsError } from './lock.errors.js';
import { DEFAULTS, type LockModuleOptions } from './lock.options.js';
import type { LockStore } from './stores/lock-store.js';
import { memoryStore } from './stores/memory/memory.store.js';

const METHODS = ['acquire', 'renew', 'release', 'inspect', 'list', 'forceRelease', 'ping', 'close'] as const;

/** The stores of a module by name; the memory store, with a warning, where none was given. */
export function namedStores(
  { store, stores }: LockModuleOptions,
  warn: (message: string) => void,
): ReadonlyMap<string, LockStore> {
  const named = new Map(Object.entries(stores ?? {}));
  if (store && named.has(DEFAULTS.store)) {
    throw new LockOptionsError('both `store` and `stores.default` were given: give one of them.', {
      site: 'LockModule',
    });
  }
  if (store) named.set(DEFAULTS.store, store);
  if (named.size === 0) {
    warn(
      'No store was given, so locks are held in the memory of this process: they exclude nobody in another ' +
        'process. Give LockModule.forRoot() a store that all instances share.',
    );
    named.set(DEFAULTS.store, memoryStore());
  }
  for (const [name, each] of named) assertStore(name, each);
  return named;
}

/** An `await` or a call that was forgotten shows here, and not at the first lock. */
function assertStore(name: string, store: LockStore): void {
  const missing = METHODS.filter((method) => typeof store?.[method] !== 'function');
  if (missing.length === 0 && store.capabilities) return;
  throw new LockOptionsError(
    `what was given as the store '${name}' is no LockStore (it lacks ${missing.join(', ') || 'capabilities'}). ` +
      'Give what a function such as memoryStore() returns.',
    { site: 'LockModule' },
  );
}

/** A store that lacks what is asked of it would lock less than the caller believes. */
export function assertCapable(
  { name, capabilities }: LockStore,
  { mode, permits, minHold }: LockSettings,
  site: string,
): void {
  const missing =
    mode === 'shared' && !capabilities.shared
      ? "`mode: 'shared'`"
      : permits > 1 && !capabilities.permits
        ? '`permits`'
        : minHold > 0 && !capabilities.minHold
          ? '`minHold`'
          : undefined;
  if (missing) throw new LockOptionsError(`the ${name} store cannot do ${missing}.`, { site });
}
