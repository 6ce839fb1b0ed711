import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Fifo, Place } from '../../../lib/base/fifo.js';

class Guest {
  readonly place: Place<this> = new Place(this);

  constructor(readonly name: string | number) {}
}

function guests(...names: (string | number)[]): { queue: Fifo<Guest>; entries: Guest[] } {
  const queue = new Fifo<Guest>();
  const entries = names.map((name) => new Guest(name));
  for (const entry of entries) queue.push(entry);
  return { queue, entries };
}

function namesIn(queue: Fifo<Guest>): (string | number)[] {
  return [...queue].map(({ name }) => name);
}

describe('Fifo', () => {
  it('is empty at first', () => {
    const { queue } = guests();
    expect(queue.first).toBeUndefined();
    expect(namesIn(queue)).toEqual([]);
  });

  it('keeps the order of coming', () => {
    const { queue } = guests('a', 'b', 'c');
    expect(namesIn(queue)).toEqual(['a', 'b', 'c']);
    expect(queue.first?.name).toBe('a');
  });

  it.each<[leaving: number, rest: string[]]>([
    [0, ['b', 'c']],
    [1, ['a', 'c']],
    [2, ['a', 'b']],
  ])('lets number %d leave, and the next still comes last', (leaving, rest) => {
    const { queue, entries } = guests('a', 'b', 'c');
    const gone = entries[leaving] as Guest;
    queue.remove(gone);
    expect(gone.place.isTaken).toBe(false);
    queue.push(new Guest('d'));
    expect(namesIn(queue)).toEqual([...rest, 'd']);
  });

  it('takes no harm when one leaves twice, or leaves a queue that it is not in', () => {
    const { queue, entries } = guests('a', 'b');
    const other = guests('x');
    for (const entry of [...entries, ...entries, ...other.entries]) queue.remove(entry);
    queue.push(new Guest('c'));
    for (const entry of entries) queue.remove(entry);
    expect(namesIn(queue)).toEqual(['c']);
    expect(namesIn(other.queue)).toEqual(['x']);
  });

  it('keeps no way from one that left to those behind it', () => {
    const { queue, entries } = guests('a', 'b');
    const [a] = entries as [Guest];
    queue.remove(a);
    const { previous, next, queue: left } = a.place;
    expect([previous, next, left]).toEqual([undefined, undefined, undefined]);
  });

  it('lets those leave that a loop over it meets', () => {
    const { queue } = guests(0, 1, 2, 3);
    const met: unknown[] = [];
    for (const entry of queue) {
      met.push(entry.name);
      queue.remove(entry);
    }
    expect(met).toEqual([0, 1, 2, 3]);
    expect(queue.first).toBeUndefined();
  });

  it('behaves as a list does, whatever comes and goes', () => {
    const step = fc.oneof(fc.constant('push' as const), fc.nat({ max: 20 }));
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const { queue, entries } = guests();
        let list: number[] = [];
        for (const each of steps) {
          if (each === 'push') {
            const entry = new Guest(entries.length);
            list.push(entries.length);
            entries.push(entry);
            queue.push(entry);
          } else {
            const entry = entries[each];
            if (entry) queue.remove(entry);
            list = list.filter((value) => value !== each);
          }
          expect(namesIn(queue)).toEqual(list);
          expect(queue.first?.name).toBe(list[0]);
        }
      }),
    );
  });
});
