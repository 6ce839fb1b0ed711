import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import {
  type AcquireOutcome,
  isBusy,
  type Lease,
  type LeaseRequest,
  type LockStore,
  type LockStoreCapabilities,
  type WaitBudget,
} from '../../stores/lock-store.js';
import type { ConformanceOptions } from './conformance.js';

export interface ConformanceTest {
  readonly title: string;
  /** The test makes sense only for stores that can do this. */
  readonly needs?: Exclude<keyof LockStoreCapabilities, 'scope'>;
  readonly run: (clients: StoreClients) => Promise<void>;
}

/** Opens two clients, runs a test, and closes them. */
export async function withClients(options: ConformanceOptions, test: ConformanceTest): Promise<void> {
  const one = await options.open();
  const other = await options.open();
  // The timers of a store keep no process alive, and some runners end with the last thing that does.
  const keepAlive = setInterval(() => {}, 1_000);
  try {
    await test.run(new StoreClients(one, other, options.ttl ?? 300, options.rawOwners));
  } finally {
    clearInterval(keepAlive);
    await one.close();
    if (other !== one) await other.close();
  }
}

/** Two clients of one backend, as two processes would have them, and short ways to say what a test does. */
class StoreClients {
  /** A key that no other test uses. */
  readonly key = `conformance:${randomUUID()}`;

  constructor(
    readonly one: LockStore,
    readonly other: LockStore,
    readonly ttl: number,
    readonly rawOwners: (key: string) => Promise<readonly string[]>,
  ) {}

  request(change: Partial<LeaseRequest> = {}): LeaseRequest {
    return {
      id: `${randomUUID()}:1`,
      key: this.key,
      ttl: this.ttl,
      mode: 'exclusive',
      permits: 1,
      ...change,
    };
  }

  /** Asks once, and fails unless it is granted at once. */
  async take(store: LockStore, change: Partial<LeaseRequest> = {}): Promise<Lease> {
    return granted(await store.acquire(this.request(change), budget(0)));
  }

  /** Asks once, and fails unless the key is busy. */
  async assertBusy(store: LockStore, change: Partial<LeaseRequest> = {}): Promise<void> {
    const outcome = await store.acquire(this.request(change), budget(0));
    assert.ok(isBusy(outcome), `"${this.key}" was granted although another holds it`);
  }

  /** Begins to wait; resolves when the request stands in line. */
  async line(store: LockStore, change: Partial<LeaseRequest> = {}, timeout = 60_000): Promise<Waiting> {
    const wait = budget(timeout);
    const request = this.request(change);
    const inLine = new Promise<void>((resolve) => {
      wait.onWaiting = resolve;
    });
    const outcome = store.acquire(request, wait);
    const served = outcome.then(() => assert.fail(`"${this.key}" was not waited for`));
    await Promise.race([inLine, served]);
    return { request, outcome, giveUp: wait.end };
  }

  /** Nobody holds the key, by the word of the backend itself and of the store. */
  async assertFree(): Promise<void> {
    assert.deepEqual(await this.rawOwners(this.key), [], 'the backend still has an owner');
    assert.equal(await this.one.inspect(this.key), null);
  }

  async assertOwnedBy(...leases: readonly { readonly id: string }[]): Promise<void> {
    const owners = [...(await this.rawOwners(this.key))].sort(byText);
    assert.deepEqual(owners, leases.map(({ id }) => id).sort(byText), 'the backend has other owners');
  }
}

interface Waiting {
  readonly request: LeaseRequest;
  readonly outcome: Promise<AcquireOutcome>;
  giveUp(): void;
}

export function granted(outcome: AcquireOutcome): Lease {
  assert.ok(!isBusy(outcome), 'the key should have been granted, but is busy');
  return outcome;
}

interface TimedBudget extends WaitBudget {
  onWaiting: () => void;
  /** The wait is over. */
  readonly end: () => void;
}

/** A wait that ends after this long, or when the test says so. */
export function budget(timeout: number): TimedBudget {
  const ended = new AbortController();
  const end = () => ended.abort();
  if (timeout > 0) setTimeout(end, timeout).unref();
  return {
    timeout,
    end,
    onWaiting: () => {},
    onEnd: (callback) => {
      if (ended.signal.aborted) callback();
      else ended.signal.addEventListener('abort', callback);
    },
  };
}

/** For what only time brings about: the end of a lease. */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function byText(a: string, b: string): number {
  return a < b ? -1 : 1;
}
