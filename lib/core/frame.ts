import { Fifo, Place } from '../base/fifo.js';
import type { LockMode } from '../stores/lock-store.js';
import type { Hold } from './hold.js';

/** One who waits for its siblings to leave. */
class Entrant {
  readonly place: Place<this> = new Place(this);

  constructor(
    readonly mode: LockMode,
    readonly admit: (frame: Frame) => void,
  ) {}
}

/**
 * One entry into a hold: the outermost call (the root), or a re-entrant call below another frame.
 *
 * Two bodies of one key may overlap only if one was called from the other. So a frame admits one exclusive
 * child, or any number of shared ones, at a time, first come, first served; and it stays open, keeping its
 * place in its parent, until its own body *and* everything below it has ended. Work that outlives its caller
 * thereby still excludes the caller's later calls.
 */
export class Frame {
  #bodyEnded = false;
  #closed = false;
  #openChildren = 0;
  #childMode: LockMode = 'shared';
  #queue: Fifo<Entrant> | undefined;

  constructor(
    readonly hold: Hold,
    readonly mode: LockMode,
    readonly parent: Frame | undefined,
  ) {}

  /** The body has ended; frames below it may be open still. */
  get bodyEnded(): boolean {
    return this.#bodyEnded;
  }

  /** A closed frame is never entered again. */
  get isOpen(): boolean {
    return !this.#closed;
  }

  /** No other frame has been entered through this one that is open still. */
  get hasNoneBelow(): boolean {
    return this.#openChildren === 0;
  }

  /** Enters now if nobody is in the way, and nobody waits. */
  tryEnter(mode: LockMode): Frame | undefined {
    return this.#queue?.first || !this.#admits(mode) ? undefined : this.#admit(mode);
  }

  /** Enters when those before have left; the result gives up waiting. */
  enterLater(mode: LockMode, admit: (frame: Frame) => void): () => void {
    this.#queue ??= new Fifo();
    const queue = this.#queue;
    const entrant = new Entrant(mode, admit);
    queue.push(entrant);
    return () => {
      queue.remove(entrant);
      this.#advance();
    };
  }

  /** The body has ended. */
  leave(): void {
    if (this.#bodyEnded) return;
    this.#bodyEnded = true;
    this.#closeIfDone();
  }

  #admits(mode: LockMode): boolean {
    return this.#openChildren === 0 || (mode === 'shared' && this.#childMode === 'shared');
  }

  #admit(mode: LockMode): Frame {
    this.#openChildren += 1;
    this.#childMode = mode;
    return new Frame(this.hold, mode, this);
  }

  #childClosed(): void {
    this.#openChildren -= 1;
    this.#advance();
  }

  /** Nobody is admitted to a hold that has ended: those who queue here then leave by themselves. */
  #advance(): void {
    const queue = this.#queue;
    for (let next = queue?.first; queue && next && this.hold.isLive && this.#admits(next.mode); ) {
      queue.remove(next);
      next.admit(this.#admit(next.mode));
      next = queue.first;
    }
    this.#closeIfDone();
  }

  #closeIfDone(): void {
    if (this.#closed || !this.#bodyEnded || this.#openChildren > 0 || this.#queue?.first) return;
    this.#closed = true;
    if (this.parent) this.parent.#childClosed();
    else this.hold.allFramesLeft();
  }
}
