import { type Duration, parseDuration } from '../base/duration.js';
import { LockLostError, LockOptionsError } from '../lock.errors.js';
import { enteredHold, runInside } from './context.js';
import type { Frame } from './frame.js';
import type { Hold } from './hold.js';
import { type LockCall, SHORTEST_TTL } from './lock-settings.js';

/**
 * A lock that this code holds: what `LockService.acquire()` returns and `currentLock()` finds. It lasts until it
 * is released, or lost; while it lasts, its lease is renewed.
 */
export class LockHold implements AsyncDisposable {
  /** @internal The frames entered by this call, one a key. */
  readonly frames: readonly Frame[];
  /** @internal The hold of the surrounding async context; ended ones are skipped, so that chains don't grow. */
  outer: LockHold | undefined;
  readonly #call: LockCall;
  #released: Promise<boolean> | undefined;
  /** Once the frames were left: those whose hold ended with it. */
  #ended: readonly Frame[] | undefined;
  #loss: LockLostError | undefined;
  #signal: AbortSignal | undefined;

  /** @internal */
  constructor(frames: readonly Frame[], outer: LockHold | undefined, call: LockCall) {
    this.frames = frames;
    this.outer = outer;
    this.#call = call;
    if (call.minHold > 0) for (const frame of frames) frame.hold.keep(call.minHold, frame);
  }

  /** The key; of a hold on several keys, all of them, separated by commas. */
  get key(): string {
    return this.keys.join(',');
  }

  /** The keys, in the order in which they were taken. */
  get keys(): readonly string[] {
    return this.frames.map(({ hold }) => hold.key);
  }

  /**
   * A safe integer that rises with every grant of the key. A resource that refuses smaller tokens than it has
   * seen is safe even from a holder that was paused past its lease. On several keys each has its own: read
   * {@link fencingTokens}.
   */
  get fencingToken(): number {
    const [frame, ...others] = this.frames;
    if (!frame || others.length > 0) {
      throw new LockOptionsError(
        'a hold on several keys has a fencing token for each: read `fencingTokens.get(key)`.',
        { key: this.key, site: this.#call.site },
      );
    }
    return tokenOf(frame.hold);
  }

  /** The fencing token of each key. */
  get fencingTokens(): ReadonlyMap<string, number> {
    return new Map(this.frames.map(({ hold }) => [hold.key, tokenOf(hold)]));
  }

  /**
   * Aborts when the lock is lost, with a `LockLostError` as its reason, before the store can grant the key to
   * another. Hand it to whatever can be cancelled.
   */
  get signal(): AbortSignal {
    const [frame] = this.frames;
    this.#signal ??= frame && this.frames.length === 1 ? frame.hold.signal : this.#jointSignal();
    return this.#signal;
  }

  /** Milliseconds for which the lease is certain without another renewal; 0 once it is lost or released. */
  remaining(): number {
    return this.isReleased ? 0 : Math.min(...this.frames.map(({ hold }) => hold.remaining));
  }

  /** Throws a `LockLostError` unless the lock is certainly held at this moment. */
  assertHeld(): void {
    if (this.isReleased) {
      throw new LockLostError({ key: this.key, site: this.#call.site, reason: 'released' });
    }
    const { loss } = this;
    if (loss) throw loss;
  }

  /**
   * Renews the lease now, for the given ttl or its own; a given ttl also holds for later renewals. A lease that
   * lasts longer already is not shortened. Rejects with a `LockLostError` or, when the store does not answer, a `LockUnavailableError`.
   */
  async extend(ttl?: Duration): Promise<void> {
    const ms =
      ttl === undefined
        ? undefined
        : parseDuration(ttl, { option: 'ttl', min: SHORTEST_TTL, site: this.#call.site });
    this.assertHeld();
    await Promise.all(this.frames.map(({ hold }) => hold.keeper.extend(hold, ms ?? hold.ttl)));
    this.assertHeld();
  }

  /**
   * Runs a function inside the lock: calls below it re-enter instead of waiting for this hold. Several at once
   * run one after another, unless the mode is shared.
   */
  async run<R>(fn: () => R): Promise<Awaited<R>> {
    this.assertHeld();
    const frames: Frame[] = [];
    for (const frame of this.frames) {
      const entered = await frame.hold.keeper.enterBelow(nearestFrame(frame), this.#call);
      if (!entered) {
        for (const each of frames) each.leave();
        this.assertHeld();
        throw new LockLostError({ key: frame.hold.key, site: this.#call.site, reason: 'released' });
      }
      frames.push(entered);
    }
    return runLocked(new LockHold(frames, innermostOpenHold(), this.#call), fn);
  }

  /**
   * Ends this hold; asking again is harmless. `true`: the lease was ours until now. `false`: it was lost before.
   * A store that cannot be reached does not make this reject: the release is tried again until the lease ends.
   */
  release(): Promise<boolean> {
    this.#released ??= this.#release();
    return this.#released;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.release();
  }

  /** @internal */
  get isReleased(): boolean {
    return this.frames.every((frame) => frame.bodyEnded);
  }

  /** @internal Nothing was entered here that is open still: of no more use to anyone. */
  get isOver(): boolean {
    return this.frames.every((frame) => !frame.isOpen);
  }

  /** @internal Why the lock was lost while it was held. */
  get loss(): LockLostError | undefined {
    if (this.#loss) return this.#loss;
    // After leaving, only what the release itself brought to light is ours to tell.
    for (const { hold } of this.#ended ?? this.frames) if (hold.loss) return hold.loss;
    return undefined;
  }

  /** @internal This hold seen as a hold on one of its keys. */
  ofKey(key: string): LockHold | undefined {
    const frame = this.frames.find(({ hold }) => hold.key === key);
    if (!frame || this.frames.length === 1) return frame && this;
    return new LockHold([frame], this.outer, { ...this.#call, minHold: 0 });
  }

  /** @internal Leaves the frames; returns what is to be awaited if that ended a lease. */
  leave(): Promise<unknown> | undefined {
    if (!this.#ended) {
      this.#loss = this.loss;
      for (const frame of this.frames) frame.leave();
      this.#ended = this.frames.every(endsItsHold) ? this.frames : this.frames.filter(endsItsHold);
    }
    const ended = this.#ended;
    if (ended.length === 1) return ended[0]?.hold.releasing;
    const releasing = ended.flatMap(({ hold }) => hold.releasing ?? []);
    return releasing.length > 0 ? Promise.all(releasing) : undefined;
  }

  /** @internal Leaves as if nothing had been entered: nothing ran inside, and no `minHold` applies. */
  abandon(): Promise<boolean> {
    for (const { hold } of this.frames) hold.forgetKeep();
    return this.release();
  }

  async #release(): Promise<boolean> {
    await this.leave();
    return this.loss === undefined;
  }

  #jointSignal(): AbortSignal {
    const controller = new AbortController();
    for (const { hold } of this.frames) {
      const tell = () => hold.loss && controller.abort(hold.loss);
      if (hold.loss) tell();
      else hold.onEnd(tell);
    }
    return controller.signal;
  }
}

/**
 * Runs the body of a call inside its hold, as soon as that is taken, and releases when the body's promise settles.
 * Where the lock could not be had, `otherwise` may name what runs instead.
 */
export async function runLocked<R>(
  entering: LockHold | Promise<LockHold>,
  body: () => R,
  otherwise?: (error: unknown) => (() => R) | undefined,
): Promise<Awaited<R>> {
  let hold: LockHold;
  try {
    hold = entering instanceof Promise ? await entering : entering;
  } catch (error) {
    const instead = otherwise?.(error);
    if (instead) return await instead();
    throw error;
  }
  let result: Awaited<R>;
  try {
    result = await runInside(hold, body);
  } catch (error) {
    await hold.leave();
    throw error; // the body's own error stands, whatever became of the lock
  }
  const leaving = hold.leave();
  if (leaving) await leaving;
  const { loss } = hold;
  if (loss) throw loss;
  return result;
}

/** The innermost hold of this async context that is not over; drops those that are from the chain. */
export function innermostOpenHold(): LockHold | undefined {
  let innermost = enteredHold();
  while (innermost?.isOver) innermost = innermost.outer;
  for (let hold = innermost; hold; hold = hold.outer) {
    while (hold.outer?.isOver) hold.outer = hold.outer.outer;
  }
  return innermost;
}

/** The innermost open frame for which the test holds, seen from a hold of the async context. */
export function innermostOpenFrame(
  from: LockHold | undefined,
  test: (hold: Hold) => boolean,
): Frame | undefined {
  for (let hold = from; hold; hold = hold.outer) {
    for (const entered of hold.frames) {
      if (!test(entered.hold)) continue;
      for (let frame: Frame | undefined = entered; frame; frame = frame.parent)
        if (frame.isOpen) return frame;
    }
  }
  return undefined;
}

/** Where a call through this frame's hold enters: below the calling context if that is inside the hold already. */
function nearestFrame(frame: Frame): Frame {
  return innermostOpenFrame(enteredHold(), (hold) => hold === frame.hold) ?? frame;
}

function endsItsHold({ hold }: Frame): boolean {
  return hold.released;
}

function tokenOf({ lease, call, key }: Hold): number {
  if (lease.fencingToken === undefined) {
    throw new LockOptionsError('the store grants no fencing tokens.', { key, site: call.site });
  }
  return lease.fencingToken;
}
