import assert from 'node:assert/strict';
import type { LockStore, LockStoreCapabilities } from '../../stores/lock-store.js';
import { excludingTests } from './excluding.js';
import { inspectingTests } from './inspecting.js';
import { keepingTests } from './keeping.js';
import { permitTests } from './permits.js';
import { renewingTests } from './renewing.js';
import { sharingTests } from './sharing.js';
import { type ConformanceTest, withClients } from './store-clients.js';
import { waitingTests } from './waiting.js';

/** The two functions of a test runner that the suite needs: those of vitest, Jest and `node:test` fit. */
export interface ConformanceRunner {
  describe(name: string, body: () => void): unknown;
  it(name: string, body: () => Promise<void>): unknown;
}

export interface ConformanceOptions extends ConformanceRunner {
  /**
   * Opens a client of the backend. The suite opens two for every test, as two processes would, and closes them.
   * Where locks live inside the store object itself, return the same one each time.
   */
  readonly open: () => LockStore | Promise<LockStore>;
  /** What the store promises: it decides which tests there are, and is checked against the store's own word. */
  readonly capabilities: LockStoreCapabilities;
  /**
   * Reads the backend without the store's help: the ids of the requests that own the key there, in any order.
   * So that no store vouches for itself.
   */
  readonly rawOwners: (key: string) => Promise<readonly string[]>;
  /**
   * The ttl that the tests work with, in milliseconds. Tests wait for leases to end, so shorter is faster; it
   * should be twenty times a round trip or more.
   * @default 300
   */
  readonly ttl?: number;
}

/**
 * Registers the tests that every store passes: those for what all stores do, and those for its capabilities.
 *
 * ```ts
 * lockStoreConformance({ describe, it, capabilities, open: () => myStore(), rawOwners: (key) => … });
 * ```
 */
export function lockStoreConformance(options: ConformanceOptions): void {
  const { describe, it, capabilities } = options;
  const groups: Record<string, readonly ConformanceTest[]> = {
    'excludes others': excludingTests,
    'renews and expires': renewingTests,
    'makes callers wait': waitingTests,
    'keeps a key after its release': keepingTests,
    'shares a key among readers': sharingTests,
    'counts permits': permitTests,
    'shows and frees': inspectingTests,
  };
  describe('lock store conformance', () => {
    it('has the capabilities that it is tested for', async () => {
      const store = await options.open();
      await store.close();
      assert.deepEqual(store.capabilities, capabilities);
    });
    for (const [group, all] of Object.entries(groups)) {
      const tests = all.filter(({ needs }) => !needs || capabilities[needs]);
      if (tests.length === 0) continue; // runners take a group without tests for a mistake
      describe(group, () => {
        for (const test of tests) it(test.title, () => withClients(options, test));
      });
    }
  });
}
