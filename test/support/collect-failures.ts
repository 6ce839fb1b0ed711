import type { LockStore, LockStoreCapabilities } from '../../lib/index.js';
import { lockStoreConformance } from '../../lib/testing/index.js';

interface CollectedTest {
  readonly title: string;
  readonly body: () => Promise<void>;
}

export interface ConformanceSubject {
  readonly store: LockStore;
  /** What the store is tested for; its own word unless told otherwise. */
  readonly capabilities?: LockStoreCapabilities;
  readonly rawOwners: (key: string) => Promise<readonly string[]>;
}

export function collectTests(subject: ConformanceSubject): readonly CollectedTest[] {
  const { store, capabilities = store.capabilities, rawOwners } = subject;
  const tests: CollectedTest[] = [];
  lockStoreConformance({
    describe: (_name, body) => body(),
    it: (title, body) => tests.push({ title, body }),
    open: () => store,
    capabilities,
    rawOwners,
    ttl: 200,
  });
  return tests;
}

/**
 * Runs the whole conformance suite at once, each test on a key of its own, and gives the titles of
 * those that fail or take longer than `atMost` milliseconds.
 */
export async function collectFailures(
  subject: ConformanceSubject,
  atMost = 25_000,
): Promise<readonly string[]> {
  const failed: string[] = [];
  const run = async ({ title, body }: CollectedTest) => {
    let timer: NodeJS.Timeout | undefined;
    const hangs = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error('it hangs')), atMost);
    });
    try {
      await Promise.race([body(), hangs]);
    } catch {
      failed.push(title);
    } finally {
      clearTimeout(timer);
    }
  };
  await Promise.all(collectTests(subject).map(run));
  return failed;
}
