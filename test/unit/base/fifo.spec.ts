import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Fifo, type FifoEntry } from '../../../lib/base/fifo.js';

describe('Fifo', () => {
  it('is empty at first', () => {
    const queue = new Fifo<string>();
    expect(queue.first).toBeUndefined();
    expect([...queue]).toEqual([]);
  });

  it('keeps the order of coming', () => {
    const queue = new Fifo<string>();
    for (const name of ['a', 'b', 'c']) queue.push(name);
    expect([...queue]).toEqual(['a', 'b', 'c']);
    expect(queue.first?.value).toBe('a');
  });

  it.each<[leaving: number, rest: string[]]>([
    [0, ['b', 'c']],
    [1, ['a', 'c']],
    [2, ['a', 'b']],
  ])('lets number %d leave, and the next still comes last', (leaving, rest) => {
    const queue = new Fifo<string>();
    const entries = ['a', 'b', 'c'].map((name) => queue.push(name));
    queue.remove(entries[leaving] as FifoEntry<string>);
    queue.push('d');
    expect([...queue]).toEqual([...rest, 'd']);
  });

  it('takes no harm when one leaves twice, even after all have left', () => {
    const queue = new Fifo<string>();
    const [a, b] = [queue.push('a'), queue.push('b')];
    queue.remove(a);
    queue.remove(a);
    queue.remove(b);
    queue.push('c');
    queue.remove(a);
    queue.remove(b);
    expect([...queue]).toEqual(['c']);
  });

  it('lets those leave that a loop over it meets', () => {
    const queue = new Fifo<number>();
    const entries = [0, 1, 2, 3].map((value) => queue.push(value));
    const met: number[] = [];
    for (const value of queue) {
      met.push(value);
      queue.remove(entries[value] as FifoEntry<number>);
    }
    expect(met).toEqual([0, 1, 2, 3]);
    expect(queue.first).toBeUndefined();
  });

  it('behaves as a list does, whatever comes and goes', () => {
    const step = fc.oneof(fc.constant('push' as const), fc.nat({ max: 20 }));
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const queue = new Fifo<number>();
        const entries: FifoEntry<number>[] = [];
        let list: number[] = [];
        for (const each of steps) {
          if (each === 'push') {
            list.push(entries.length);
            entries.push(queue.push(entries.length));
          } else {
            const entry = entries[each];
            if (entry) queue.remove(entry);
            list = list.filter((value) => value !== each);
          }
          expect([...queue]).toEqual(list);
          expect(queue.first?.value).toBe(list[0]);
        }
      }),
    );
  });
});
