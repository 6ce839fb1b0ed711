import type { Frame } from './frame.js';
import type { LockCall } from './lock-settings.js';
import { Wait } from './wait.js';

/** One call's wait until its siblings below a frame have left. Undefined: the hold ended before its turn came. */
export class SiblingWait extends Wait<Frame | undefined> {
  readonly #leaveQueue: () => void;
  readonly #forgetEnd: () => void;

  constructor(
    parent: Frame,
    call: LockCall,
    private readonly busy: () => Error,
  ) {
    super(parent.hold.keeper.clock, call.wait, call.signal);
    this.#leaveQueue = parent.enterLater(call.mode, (frame) => {
      this.#forgetEnd();
      this.resolve(frame);
    });
    this.#forgetEnd = parent.hold.onEnd(() => {
      this.#leaveQueue();
      this.resolve(undefined);
    });
  }

  protected override givenUp(): void {
    this.#forgetEnd();
    this.#leaveQueue();
  }

  protected override timeIsOver(): void {
    this.giveUp(this.busy());
  }
}
