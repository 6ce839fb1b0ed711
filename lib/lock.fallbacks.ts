import { LockBusyError, LockUnavailableError } from './lock.errors.js';
import type { Fallbacks } from './lock.options.js';

/** What runs instead of a body whose lock could not be had; undefined: the error stands. */
export type Otherwise = (error: unknown) => (() => unknown) | undefined;

/** What `onBusy` and `onUnavailable` say about one call. */
export function otherwise(
  { onBusy, onUnavailable }: Fallbacks,
  body: () => unknown,
  instance: unknown,
  args: readonly unknown[],
): Otherwise | undefined {
  if (onBusy === 'throw' && onUnavailable === 'throw') return undefined;
  return (error) => {
    if (error instanceof LockUnavailableError) {
      return onUnavailable === 'run' && error.reason === 'store' ? body : undefined;
    }
    if (!(error instanceof LockBusyError) || onBusy === 'throw') return undefined;
    return onBusy === 'skip' ? () => undefined : () => onBusy.apply(instance, args as never[]);
  };
}
