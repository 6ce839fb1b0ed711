import { describe, expect, it } from 'vitest';
import { resolveFallbacks } from '../../../lib/lock.options.js';
import { lockOptionsError } from '../base/lock-error.matcher.js';

const fallbacksOf = (options: Record<string, unknown>) => resolveFallbacks(options, 'Orders.ship');

describe('fallbacks', () => {
  it.each(['throw', 'skip', () => 'instead'])('onBusy may be %s', (onBusy) => {
    expect(fallbacksOf({ onBusy }).onBusy).toBe(onBusy);
  });

  it.each(['throw', 'run'])('onUnavailable may be %s', (onUnavailable) => {
    expect(fallbacksOf({ onUnavailable }).onUnavailable).toBe(onUnavailable);
  });

  it.each<[onBusy: unknown, shown: string]>([
    ['wait', "'wait'"],
    ['run', "'run'"],
    ['', "''"],
    [null, 'null'],
    [false, 'false'],
    [{}, 'an object (Object)'],
  ])('onBusy %o is refused', (onBusy, shown) => {
    expect(() => fallbacksOf({ onBusy })).toThrow(
      `Orders.ship: \`onBusy\` is ${shown}: it has to be 'throw' or 'skip', or a function.`,
    );
    expect(() => fallbacksOf({ onBusy })).toThrow(lockOptionsError(/./));
  });

  it.each<[onUnavailable: unknown, shown: string]>([
    ['skip', "'skip'"],
    [null, 'null'],
    [true, 'true'],
    [() => 'instead', 'a function'],
  ])('onUnavailable %o is refused: nothing runs unlocked by mistake', (onUnavailable, shown) => {
    expect(() => fallbacksOf({ onUnavailable })).toThrow(
      `Orders.ship: \`onUnavailable\` is ${shown}: it has to be 'throw' or 'run'.`,
    );
    expect(() => fallbacksOf({ onUnavailable })).toThrow(lockOptionsError(/./));
  });
});
