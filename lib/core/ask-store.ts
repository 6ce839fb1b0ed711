import type { Clock } from '../base/clock.js';

/** How long a store may be silent, and by which clock. */
export interface StorePatience {
  readonly name: string;
  readonly clock: Clock;
  /** Milliseconds. */
  readonly timeout: number;
}

/**
 * Asks a store a question that it answers at once. Exactly one of the two is called; a store that throws, or is
 * silent for too long, is one that failed. (Callbacks, not promises: this is on the path of every release.)
 */
export function askStore<T>(
  { name, clock, timeout }: StorePatience,
  question: () => Promise<T>,
  onAnswer: (answer: T) => void,
  onFailure: (error: unknown) => void,
): void {
  let asking = true;
  const fail = (error: unknown) => {
    if (!asking) return;
    asking = false;
    clock.clearTimer(timer);
    onFailure(error);
  };
  const timer = clock.setTimer(
    () => fail(new Error(`the ${name} store did not answer within ${timeout} ms`)),
    timeout,
  );
  try {
    question().then((answer) => {
      if (!asking) return;
      asking = false;
      clock.clearTimer(timer);
      onAnswer(answer);
    }, fail);
  } catch (error) {
    fail(error);
  }
}
