import type { Observable } from 'rxjs';

/** The lock lasts as long as what the method returns, so that has to be something that ends. */
export type LockableMethod = (...args: never[]) => Promise<unknown> | Observable<unknown>;

/** What a method gives in the end. */
export type ResultOf<M extends LockableMethod> =
  ReturnType<M> extends Observable<infer T> ? T : Awaited<ReturnType<M>>;

/** Makes a decorator that does not fit its method an error whose text says why. */
export interface DoesNotFit<Reason extends string> {
  readonly __doesNotFit: Reason;
}

type KeyFits<K, M extends LockableMethod> = K extends (...args: never[]) => unknown
  ? K extends (...args: Parameters<M>) => unknown
    ? unknown
    : DoesNotFit<'the key function does not take the arguments of this method'>
  : unknown;

type BusyFits<B, M extends LockableMethod> = [B] extends ['skip']
  ? undefined extends ResultOf<M>
    ? unknown
    : DoesNotFit<"onBusy 'skip' gives undefined, which this method cannot return">
  : B extends (...args: never[]) => unknown
    ? B extends (...args: Parameters<M>) => ReturnType<M> | ResultOf<M>
      ? unknown
      : DoesNotFit<'the onBusy function does not take the arguments of this method, or gives another result'>
    : unknown;

/** A method decorator that compiles only where the options fit the method. */
export type LockDecorator<K, B> = <M extends LockableMethod>(
  target: object,
  name: string | symbol,
  descriptor: TypedPropertyDescriptor<M> & KeyFits<K, M> & BusyFits<B, M>,
) => void;
