/** A promise that the test settles, when it wants. */
export interface Deferred<T> {
  readonly promise: Promise<T>;
  resolve(value: T): void;
  reject(reason: unknown): void;
}

export function deferred<T = void>(): Deferred<T> {
  let resolve!: (value: T) => void;
  let reject!: (reason: unknown) => void;
  const promise = new Promise<T>((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });
  return { promise, resolve, reject };
}

/** What a promise rejected with; fails when it did not. */
export async function errorOf(promise: Promise<unknown>): Promise<unknown> {
  const results = await Promise.allSettled([promise]);
  const [result] = results;
  if (result.status === 'rejected') return result.reason;
  throw new Error(`it should have rejected, but gave ${String(result.value)}`);
}
