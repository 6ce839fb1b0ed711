import type { Clock } from '../base/clock.js';

/** How long a store may be silent, and by which clock. */
export interface StorePatience {
  readonly name: string;
  readonly clock: Clock;
  /** Milliseconds. */
  readonly timeout: number;
}

/**
 * Asks a store a question that it need not wait for. Exactly one of the two is called; a store that throws, or is
 * silent for too long, is one that failed. (Callbacks, not promises: this is on the path of every release.)
 */
export function askStore<T>(
  patience: StorePatience,
  question: () => T | PromiseLike<T>,
  onAnswer: (answer: T) => void,
  onFailure: (error: unknown) => void,
): void {
  let answer: T | PromiseLike<T>;
  try {
    answer = question();
  } catch (error) {
    onFailure(error);
    return;
  }
  if (isPromiseLike(answer)) waitForAnswer(patience, answer, onAnswer, onFailure);
  else onAnswer(answer);
}

function waitForAnswer<T>(
  { name, clock, timeout }: StorePatience,
  answer: PromiseLike<T>,
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
  answer.then((value) => {
    if (!asking) return;
    asking = false;
    clock.clearTimer(timer);
    onAnswer(value);
  }, fail);
}

/** Not `instanceof Promise`: a driver's own promise, or one from a test runner's sandbox, is no answer either. */
function isPromiseLike<T>(answer: T | PromiseLike<T>): answer is PromiseLike<T> {
  return typeof answer === 'object' && answer !== null && 'then' in answer;
}
