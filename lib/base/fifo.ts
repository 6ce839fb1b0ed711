/**
 * A place in a {@link Fifo}. An object of its own, so that the code below meets one shape of object, whatever kinds of
 * entry there are: with the links on the entries (or on a base class of theirs) every hand-off costs half as much again.
 */
export class Place<T> {
  /** @internal */ queue: unknown;
  /** @internal */ previous: Place<T> | undefined;
  /** @internal */ next: Place<T> | undefined;

  constructor(readonly entry: T) {}

  /** The entry stands in a queue now. */
  get isTaken(): boolean {
    return this.queue !== undefined;
  }
}

/** What can stand in a {@link Fifo}, in one at a time. */
export interface FifoEntry {
  readonly place: Place<this>;
}

/** First in, first out, with removal from anywhere in constant time: a waiter may give up at any moment. */
export class Fifo<T extends FifoEntry> implements Iterable<T> {
  #first: Place<T> | undefined;
  #last: Place<T> | undefined;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get first(): T | undefined {
    return this.#first?.entry;
  }

  push({ place }: T): void {
    this.#size += 1;
    place.queue = this;
    place.previous = this.#last;
    if (this.#last) this.#last.next = place;
    else this.#first = place;
    this.#last = place;
  }

  /** Harmless for an entry that has left already. */
  remove({ place }: T): void {
    if (place.queue !== this) return;
    this.#size -= 1;
    const { previous, next } = place;
    if (previous) previous.next = next;
    else this.#first = next;
    if (next) next.previous = previous;
    else this.#last = previous;
    place.queue = undefined;
    // An old entry that is gone must not keep younger ones from being collected.
    place.previous = undefined;
    place.next = undefined;
  }

  *[Symbol.iterator](): Iterator<T> {
    for (let place = this.#first; place; ) {
      const { entry, next } = place; // gone from its place if the entry leaves while the loop looks at it
      yield entry;
      place = next;
    }
  }
}
