import { LockOptionsError } from '../lock.errors.js';
import { LONGEST_DELAY } from './clock.js';
import { show } from './show.js';

/** Milliseconds as a number, or a number with its unit: `1500`, `'250ms'`, `'30s'`, `'5m'`, `'1h'`. */
export type Duration = number | `${number}${'ms' | 's' | 'm' | 'h'}`;

const UNITS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 } as const;
const FORM = /^(\d+(?:\.\d+)?)(ms|s|m|h)$/;

export interface DurationLimits {
  /** Which option it is, for the message. */
  readonly option: string;
  /** The smallest value allowed, in milliseconds. */
  readonly min: number;
  readonly site?: string | undefined;
}

/** Whole milliseconds; anything that is not a duration within the limits is a {@link LockOptionsError}. */
export function parseDuration(value: Duration, { option, min, site }: DurationLimits): number {
  const ms = toMilliseconds(value);
  if (ms >= min && ms <= LONGEST_DELAY) {
    return Math.round(ms);
  }
  const problem = Number.isNaN(ms)
    ? "is no duration: give milliseconds as a number, or a string such as '250ms', '30s', '5m' or '1h'"
    : ms < min
      ? `is too short: at least ${min} ms`
      : 'is too long: at most 24 days';
  throw new LockOptionsError(`\`${option}\` ${show(value)} ${problem}.`, { site });
}

function toMilliseconds(value: unknown): number {
  if (typeof value === 'number') {
    return value;
  }
  const match = typeof value === 'string' ? FORM.exec(value) : null;
  return match ? Number(match[1]) * UNITS[match[2] as keyof typeof UNITS] : Number.NaN;
}
