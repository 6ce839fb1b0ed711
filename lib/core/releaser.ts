import { type Clock, type Instant, later, msUntil } from '../base/clock.js';
import type { Lease, LockStore } from '../stores/lock-store.js';
import { askStore, type StorePatience } from './ask-store.js';

const FIRST_RETRY = 50;
const LONGEST_RETRY = 1_000;

/** A lease to be given back, and who wants to know. */
export interface Release {
  readonly lease: Lease;
  /** The monotonic time until which the key stays locked. */
  readonly keepUntil: number;
  /** What the store answered at once: `undefined` when it did not, and will be asked again in the background. */
  answered?(released: boolean | undefined): void;
  /** The store confirmed, however late. */
  released?(): void;
}

/** Gives leases back; what fails is tried again in the background until the lease has ended by itself. */
export class Releaser {
  #underWay = 0;
  #stopped = false;
  #onSettled: (() => void) | undefined;

  constructor(
    readonly store: LockStore,
    readonly patience: StorePatience,
    readonly onFailure: (lease: Lease, error: unknown) => void,
  ) {}

  release(release: Release): void {
    this.#underWay += 1;
    this.#attempt(
      release,
      (released) => {
        if (released) release.released?.();
        release.answered?.(released);
        this.#settle();
      },
      () => {
        release.answered?.(undefined);
        this.#retryIn(FIRST_RETRY, release, later(this.#clock.now(), release.lease.ttl));
      },
    );
  }

  /** Resolves when no release is under way, or when the time is over; nothing is tried again after that. */
  async finish(timeout: number): Promise<void> {
    if (this.#underWay > 0) {
      await new Promise<void>((resolve) => {
        const timer = this.#clock.setTimer(resolve, timeout);
        this.#onSettled = () => {
          this.#clock.clearTimer(timer);
          resolve();
        };
      });
    }
    this.#stopped = true;
  }

  get #clock(): Clock {
    return this.patience.clock;
  }

  /** Until the lease has ended by itself, and there is nothing more to release. */
  #retryIn(delay: number, release: Release, endsAt: Instant): void {
    this.#clock.setTimer(() => {
      if (this.#stopped || msUntil(endsAt, this.#clock.now()) <= 0) {
        this.#settle();
        return;
      }
      this.#attempt(
        release,
        () => {
          // `false` is success too: an attempt whose answer was lost may have been the one that released it.
          release.released?.();
          this.#settle();
        },
        () => this.#retryIn(Math.min(delay * 2, LONGEST_RETRY), release, endsAt),
      );
    }, delay);
  }

  #attempt(
    { lease, keepUntil }: Release,
    onAnswer: (released: boolean) => void,
    onFailure: () => void,
  ): void {
    const keepFor = keepUntil > 0 ? Math.max(0, Math.ceil(keepUntil - this.#clock.now().monotonic)) : 0;
    askStore(
      this.patience,
      () => this.store.release(lease, keepFor),
      onAnswer,
      (error) => {
        this.onFailure(lease, error);
        onFailure();
      },
    );
  }

  #settle(): void {
    this.#underWay -= 1;
    if (this.#underWay === 0) this.#onSettled?.();
  }
}
