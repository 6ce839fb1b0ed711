import { type Duration, parseDuration } from '../base/duration.js';
import { LockOptionsError } from '../lock.errors.js';
import {
  type AcquireOutcome,
  isBusy,
  type Lease,
  type LeaseRequest,
  type LockState,
  type LockStore,
  type LockStoreCapabilities,
  type RenewOutcome,
  type WaitBudget,
} from '../stores/lock-store.js';
import { memoryStore } from '../stores/memory/memory.store.js';
import { ManualClock } from './manual-clock.js';

/** A key that someone else holds. */
export interface ForeignHold {
  release(): Promise<void>;
}

/**
 * A store for the tests of code that uses locks: real locks in memory, with a clock that only the test moves, and
 * with every misfortune at hand.
 *
 * ```ts
 * const store = new ControllableStore();
 * const app = await Test.createTestingModule({ imports: [LockModule.forRoot({ store })], … }).compile();
 * await store.holdElsewhere('order:42');   // busy
 * store.goDown();                          // unavailable
 * await store.clock.advance('1m');         // nothing renewed: lost
 * ```
 */
export class ControllableStore implements LockStore {
  readonly name = 'controllable';
  readonly capabilities: LockStoreCapabilities;
  readonly clock = new ManualClock();
  readonly #store = memoryStore({ clock: this.clock });
  #outage: Error | 'silent' | undefined;
  #latency = 0;
  #foreign = 0;
  #onComeBack: (() => void)[] = [];

  /** Capabilities to leave out, for code that has to do without. */
  constructor(capabilities: Partial<LockStoreCapabilities> = {}) {
    this.capabilities = { ...this.#store.capabilities, ...capabilities };
  }

  /** Another process takes the key, and keeps it until it is released here. */
  async holdElsewhere(key: string): Promise<ForeignHold> {
    this.#foreign += 1;
    const request: LeaseRequest = {
      id: `elsewhere:${this.#foreign}`,
      key,
      ttl: Number.MAX_SAFE_INTEGER,
      mode: 'exclusive',
      permits: 1,
    };
    const outcome = await this.#store.acquire(request, NO_WAIT);
    if (isBusy(outcome)) {
      throw new LockOptionsError(`"${key}" cannot be held elsewhere: ${outcome.holder} holds it.`, { key });
    }
    return { release: async () => void (await this.#store.release(outcome)) };
  }

  /** The key's holders lose it without a word: they learn of it at their next renewal or on release. */
  async takeAway(key: string): Promise<void> {
    await this.#store.forceRelease(key);
  }

  /** From now on every call is refused. */
  goDown(error: Error = new Error('connection refused')): void {
    this.#outage = error;
  }

  /** From now on no call is answered, nor carried out, until the store comes back. */
  goSilent(): void {
    this.#outage = 'silent';
  }

  /** Ends an outage; what was asked while the store was silent is carried out now. */
  comeBack(): void {
    this.#outage = undefined;
    const waiting = this.#onComeBack;
    this.#onComeBack = [];
    for (const proceed of waiting) proceed();
  }

  /** From now on every answer takes this long, by the store's clock; what was asked for is done at once. */
  slowDown(latency: Duration): void {
    this.#latency = parseDuration(latency, { option: 'latency', min: 0 });
  }

  async acquire(request: LeaseRequest, wait: WaitBudget): Promise<AcquireOutcome> {
    const outcome = await this.#answer(() => this.#store.acquire(request, wait));
    return isBusy(outcome) || this.capabilities.fencing ? outcome : { ...outcome, fencingToken: undefined };
  }

  renew(leases: readonly Lease[]): Promise<readonly RenewOutcome[]> {
    return this.#answer(() => this.#store.renew(leases));
  }

  release(lease: Lease, keepFor?: number): Promise<boolean> {
    return this.#answer(async () => this.#store.release(lease, keepFor));
  }

  inspect(key: string): Promise<LockState | null> {
    return this.#answer(() => this.#store.inspect(key));
  }

  async *list(prefix?: string): AsyncIterable<LockState> {
    await this.ping();
    yield* this.#store.list(prefix);
  }

  forceRelease(key: string): Promise<boolean> {
    return this.#answer(() => this.#store.forceRelease(key));
  }

  ping(): Promise<void> {
    return this.#answer(() => this.#store.ping());
  }

  close(): Promise<void> {
    return this.#store.close();
  }

  async #answer<T>(ask: () => Promise<T>): Promise<T> {
    if (this.#outage === 'silent') await new Promise<void>((resolve) => this.#onComeBack.push(resolve));
    if (this.#outage instanceof Error) throw this.#outage;
    const answer = await ask();
    if (this.#latency > 0) {
      await new Promise<void>((resolve) => this.clock.setTimer(resolve, this.#latency));
    }
    return answer;
  }
}

const NO_WAIT: WaitBudget = { timeout: 0, onWaiting: () => {}, onEnd: () => {} };
