import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Lease,
  type LeaseRequest,
  LockService,
  type LockStore,
  memoryStore,
  type WaitBudget,
} from '../../../lib/index.js';
import { ManualClock } from '../../../lib/testing/index.js';
import { turn } from './support.js';

/** What happens to a command on its way to the server and back, in milliseconds of delay. */
interface Fate {
  readonly there: number;
  readonly back: number;
  readonly error: 'none' | 'before' | 'after';
}

/** A server with a clock of its own, behind a network that delays, drops and breaks. */
class FarStore implements LockStore {
  readonly name = 'far';
  readonly clock = new ManualClock();
  readonly serverClock = new ManualClock();
  readonly server = memoryStore({ clock: this.serverClock });
  readonly capabilities = this.server.capabilities;
  readonly #fates: Fate[];

  constructor(fates: readonly Fate[]) {
    this.#fates = [...fates];
  }

  async acquire(request: LeaseRequest, wait: WaitBudget) {
    const grantedAt = this.clock.now(); // the moment of sending
    const outcome = await this.#send(() => this.server.acquire(request, wait));
    return 'busy' in outcome ? outcome : { ...outcome, grantedAt };
  }

  renew(leases: readonly Lease[]) {
    return this.#send(() => this.server.renew(leases));
  }

  release(lease: Lease, keepFor?: number) {
    return this.#send(async () => this.server.release(lease, keepFor));
  }

  inspect = (key: string) => this.server.inspect(key);
  list = (prefix?: string) => this.server.list(prefix);
  forceRelease = (key: string) => this.server.forceRelease(key);
  ping = () => this.server.ping();
  close = () => this.server.close();

  async #send<T>(command: () => Promise<T>): Promise<T> {
    const { there, back, error } = this.#fates.shift() ?? { there: 0, back: 0, error: 'none' };
    await this.#delay(there);
    if (error === 'before') throw new Error('connection lost');
    const answer = await command();
    await this.#delay(back);
    if (error === 'after') throw new Error('connection lost');
    return answer;
  }

  async #delay(ms: number): Promise<void> {
    if (ms > 0) await new Promise<void>((resolve) => this.clock.setTimer(resolve, ms));
  }
}

const fate: fc.Arbitrary<Fate> = fc.record({
  there: fc.oneof(fc.constant(0), fc.nat(20), fc.nat(200)),
  back: fc.oneof(fc.constant(0), fc.nat(20), fc.nat(200)),
  error: fc.constantFrom('none', 'none', 'none', 'before', 'after'),
});

const scenario = fc.record({
  ttl: fc.integer({ min: 10, max: 120 }),
  fates: fc.array(fate, { maxLength: 40 }),
  /** How much faster the server's clock goes: as much as the drift allows for. */
  speed: fc.constantFrom(1, 1.005, 1.009),
  /** The local wall clock is set, or the machine was suspended, after so many milliseconds. */
  jumps: fc.array(fc.record({ at: fc.nat(400), by: fc.integer({ min: -5_000, max: 5_000 }) }), {
    maxLength: 2,
  }),
  extend: fc.option(fc.record({ at: fc.nat(200), ttl: fc.integer({ min: 10, max: 200 }) })),
});

describe('random networks, clocks and servers', () => {
  it('12, 13. never let a hold believe in its lease past the end of it on the server', async () => {
    let believed = 0;
    const property = fc.asyncProperty(scenario, async ({ ttl, fates, speed, jumps, extend }) => {
      const store = new FarStore(fates);
      const locks = new LockService({ store, storeTimeout: 500 });
      const acquiring = locks.acquire('k', { ttl, wait: 0 }).catch(() => undefined);
      for (let ms = 0; ms < 400; ms += 1) {
        await store.serverClock.advance(Math.ceil(speed * (ms + 1)) - Math.ceil(speed * ms));
        await store.clock.advance(1);
        for (const jump of jumps) if (jump.at === ms) store.clock.jumpWall(jump.by);
        const hold = await Promise.race([acquiring, turn()]);
        if (!hold) continue;
        if (extend?.at === ms) void hold.extend(extend.ttl).catch(() => {});
        if (hold.remaining() > 0) {
          believed += 1;
          expect(await store.server.inspect('k'), `after ${ms} ms`).not.toBeNull();
          expect(hold.signal.aborted).toBe(false);
        } else {
          expect(hold.signal.aborted).toBe(true);
        }
      }
    });
    await fc.assert(property, { numRuns: 150 });
    expect(believed).toBeGreaterThan(1_000);
  }, 120_000);
});
