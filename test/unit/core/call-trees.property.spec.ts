import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LockBusyError, LockError, LockOptionsError } from '../../../lib/index.js';
import { controlled, turn } from './support.js';

/** One locked call: what it locks, how it calls others, and how it ends. */
interface Call {
  readonly key: string;
  readonly mode: 'exclusive' | 'shared';
  /** Turns of the event loop before and after the calls below. */
  readonly turns: number;
  readonly below: 'in turn' | 'in parallel' | 'detached';
  readonly calls: readonly Call[];
  readonly fails: boolean;
}

const { call } = fc.letrec<{ call: Call }>((tie) => ({
  call: fc.record({
    key: fc.constantFrom('a', 'a', 'a', 'b'),
    mode: fc.constantFrom('exclusive' as const, 'exclusive' as const, 'shared' as const),
    turns: fc.nat(2),
    below: fc.constantFrom('in turn' as const, 'in parallel' as const, 'detached' as const),
    calls: fc.oneof(
      { depthSize: 'medium', withCrossShrink: true },
      fc.constant([]),
      fc.array(tie('call'), { maxLength: 3 }),
    ),
    fails: fc.boolean(),
  }),
}));

interface Body {
  readonly call: Call;
  readonly path: readonly object[];
}

class OwnFailure extends Error {}

/** Runs trees of calls and fails as soon as two bodies are inside one key that must not be. */
class Forest {
  readonly #running = new Set<Body>();
  readonly #detached: Promise<void>[] = [];
  readonly #locks;
  readonly #clock;
  bodies = 0;

  constructor() {
    const { locks, clock } = controlled();
    this.#locks = locks;
    this.#clock = clock;
  }

  async run(roots: readonly Call[]): Promise<void> {
    let over = false;
    const end = this.#runAll(roots).finally(() => {
      over = true;
    });
    // Trees that lock a and b in different orders wait in a circle until a wait runs out: let time pass.
    while (!over) {
      for (let turns = 0; turns < 20 && !over; turns += 1) await turn();
      if (!over) await this.#clock.advance('5s');
    }
    await end;
    for await (const { key } of this.#locks.list()) expect.fail(`"${key}" is still held`);
    expect(this.#running.size).toBe(0);
  }

  async #runAll(roots: readonly Call[]): Promise<void> {
    await Promise.all(roots.map((root) => this.#tolerate(this.#call(root, []))));
    // Detached calls may have started others.
    for (let done = 0; done < this.#detached.length; ) {
      done = this.#detached.length;
      await Promise.all(this.#detached);
    }
  }

  #call(call: Call, path: readonly object[]): Promise<void> {
    return this.#locks.run(call.key, () => this.#body({ call, path: [...path, call] }), {
      mode: call.mode,
      wait: '5s',
    });
  }

  async #body(body: Body): Promise<void> {
    const { call, path } = body;
    this.bodies += 1;
    for (const other of this.#running) this.#assertMayOverlap(body, other);
    this.#running.add(body);
    try {
      await this.#turns(call);
      const calls = call.calls.map((below) => () => this.#tolerate(this.#call(below, path)));
      if (call.below === 'detached') this.#detached.push(...calls.map((start) => start()));
      else if (call.below === 'in parallel') await Promise.all(calls.map((start) => start()));
      else for (const start of calls) await start();
      await this.#turns(call);
      if (call.fails) throw new OwnFailure();
    } finally {
      this.#running.delete(body);
    }
  }

  #assertMayOverlap(one: Body, other: Body): void {
    const related = one.path.includes(other.call) || other.path.includes(one.call);
    const readers = one.call.mode === 'shared' && other.call.mode === 'shared';
    if (one.call.key === other.call.key && !related && !readers) {
      throw new Error(`two bodies overlap on "${one.call.key}"`);
    }
  }

  async #turns({ turns }: Call): Promise<void> {
    for (let count = 0; count < turns; count += 1) await turn();
  }

  /** What may happen to a call: its own failure, a circle of waits, a writer below a reader. */
  async #tolerate(call: Promise<void>): Promise<void> {
    await call.catch((error: unknown) => {
      const expected = [OwnFailure, LockBusyError, LockOptionsError].some((type) => error instanceof type);
      if (!expected || (error instanceof LockError && error.code === 'LOCK_LOST')) throw error;
    });
  }
}

describe('random trees of calls', () => {
  it('9, 10. never overlap on one key unless one was called from the other, and end with nothing held', async () => {
    let bodies = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(call, { minLength: 1, maxLength: 4 }), async (roots) => {
        const forest = new Forest();
        await forest.run(roots);
        bodies += forest.bodies;
      }),
      { numRuns: 1_000 },
    );
    expect(bodies).toBeGreaterThan(5_000);
  }, 60_000);
});
