import type { LockObserver } from '../../lib/index.js';

type EventName = keyof LockObserver;
type EventOf<N extends EventName> = Parameters<NonNullable<LockObserver[N]>>[0];

/** An observer that writes everything down, and on which a test can await what it needs to have happened. */
export class EventLog implements Required<LockObserver> {
  readonly entries: { readonly name: EventName; readonly event: EventOf<EventName> }[] = [];
  readonly #listeners = new Set<() => void>();

  readonly onAcquired = this.#writer('onAcquired');
  readonly onBusy = this.#writer('onBusy');
  readonly onWaiting = this.#writer('onWaiting');
  readonly onRenewed = this.#writer('onRenewed');
  readonly onLost = this.#writer('onLost');
  readonly onReleased = this.#writer('onReleased');
  readonly onError = this.#writer('onError');

  get names(): readonly EventName[] {
    return this.entries.map(({ name }) => name);
  }

  of<N extends EventName>(name: N): readonly EventOf<N>[] {
    return this.entries.filter((entry) => entry.name === name).map(({ event }) => event as EventOf<N>);
  }

  /** Resolves with the event when it has happened this many times, be it in the past. */
  async seen<N extends EventName>(name: N, times = 1): Promise<EventOf<N>> {
    for (;;) {
      const found = this.of(name)[times - 1];
      if (found) return found;
      await new Promise<void>((resolve) => this.#listeners.add(resolve));
    }
  }

  #writer<N extends EventName>(name: N) {
    return (event: EventOf<N>): void => {
      this.entries.push({ name, event });
      for (const listener of this.#listeners) listener();
      this.#listeners.clear();
    };
  }
}
