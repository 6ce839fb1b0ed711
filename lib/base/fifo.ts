/** What can stand in a {@link Fifo}, in one at a time. */
export abstract class FifoEntry {
  /** @internal */ queue: unknown;
  /** @internal */ previous: this | undefined;
  /** @internal */ next: this | undefined;

  /** Stands in a queue now. */
  get isQueued(): boolean {
    return this.queue !== undefined;
  }
}

/** First in, first out, with removal from anywhere in constant time: a waiter may give up at any moment. */
export class Fifo<T extends FifoEntry> implements Iterable<T> {
  #first: T | undefined;
  #last: T | undefined;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get first(): T | undefined {
    return this.#first;
  }

  push(entry: T): void {
    this.#size += 1;
    entry.queue = this;
    entry.previous = this.#last;
    if (this.#last) this.#last.next = entry;
    else this.#first = entry;
    this.#last = entry;
  }

  /** Harmless for an entry that has left already. */
  remove(entry: T): void {
    if (entry.queue !== this) return;
    this.#size -= 1;
    const { previous, next } = entry;
    if (previous) previous.next = next;
    else this.#first = next;
    if (next) next.previous = previous;
    else this.#last = previous;
    entry.queue = undefined;
    // An old entry that is gone must not keep younger ones from being collected.
    entry.previous = undefined;
    entry.next = undefined;
  }

  *[Symbol.iterator](): Iterator<T> {
    for (let entry = this.#first; entry; ) {
      const { next } = entry; // gone from the entry if it leaves while the loop looks at it
      yield entry;
      entry = next;
    }
  }
}
