import type { Observable } from 'rxjs';

/** The lock lasts as long as what the method returns, so that has to be something that ends. */
type LockableMethod = (...args: never[]) => Promise<unknown> | Observable<unknown>;

/** What a method gives in the end. */
type ResultOf<M extends LockableMethod> =
  ReturnType<M> extends Observable<infer T> ? T : Awaited<ReturnType<M>>;

/** Makes a decorator that does not fit its method an error whose text says why. */
interface DoesNotFit<Reason extends string> {
  readonly __doesNotFit: Reason;
}

type Functions<T> = Extract<T, (...args: never[]) => unknown>;

// Not distributive: of a union such as `flag ? 'skip' : 'throw'` every member has to fit.
type KeyFits<K, M extends LockableMethod> = [Functions<K>] extends [(...args: Parameters<M>) => unknown]
  ? unknown
  : DoesNotFit<'the key function does not take the arguments of this method'>;

type SkipFits<B, M extends LockableMethod> = 'skip' extends B
  ? undefined extends ResultOf<M>
    ? unknown
    : DoesNotFit<"onBusy 'skip' gives undefined, which this method cannot return">
  : unknown;

type FallbackFits<B, M extends LockableMethod> = [Functions<B>] extends [
  (...args: Parameters<M>) => ReturnType<M> | ResultOf<M> | Promise<ResultOf<M>>,
]
  ? unknown
  : DoesNotFit<'the onBusy function does not take the arguments of this method, or gives another result'>;

/** A method decorator that compiles only where the options fit the method. */
export type LockDecorator<K, B> = <M extends LockableMethod>(
  target: object,
  name: string | symbol,
  descriptor: TypedPropertyDescriptor<M> & KeyFits<K, M> & SkipFits<B, M> & FallbackFits<B, M>,
) => void;
