/** A place in a {@link Fifo}; keep it to leave the queue from the middle. */
export interface FifoEntry<T> {
  readonly value: T;
  /** @internal */ previous: FifoEntry<T> | undefined;
  /** @internal */ next: FifoEntry<T> | undefined;
  /** @internal */ queued: boolean;
}

/** First in, first out, with removal from anywhere in constant time: a waiter may give up at any moment. */
export class Fifo<T> implements Iterable<T> {
  #first: FifoEntry<T> | undefined;
  #last: FifoEntry<T> | undefined;

  get first(): FifoEntry<T> | undefined {
    return this.#first;
  }

  push(value: T): FifoEntry<T> {
    const entry: FifoEntry<T> = { value, previous: this.#last, next: undefined, queued: true };
    if (this.#last) this.#last.next = entry;
    else this.#first = entry;
    this.#last = entry;
    return entry;
  }

  /** Harmless for an entry that has left already. */
  remove(entry: FifoEntry<T>): void {
    if (!entry.queued) return;
    entry.queued = false;
    if (entry.previous) entry.previous.next = entry.next;
    else this.#first = entry.next;
    if (entry.next) entry.next.previous = entry.previous;
    else this.#last = entry.previous;
  }

  *[Symbol.iterator](): Iterator<T> {
    for (let entry = this.#first; entry; entry = entry.next) yield entry.value;
  }
}
