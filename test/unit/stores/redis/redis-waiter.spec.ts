import { beforeEach, describe, expect, it } from 'vitest';
import type { AcquireOutcome, Lease, LeaseRequest, WaitBudget } from '../../../../lib/stores/lock-store.js';
import type { AcquireReply } from '../../../../lib/stores/redis/redis-commands.js';
import { RedisLine } from '../../../../lib/stores/redis/redis-line.js';
import { RedisWaiter, type WaiterServer } from '../../../../lib/stores/redis/redis-waiter.js';
import { ManualClock } from '../../../../lib/testing/index.js';
import { deferred } from '../../../support/deferred.js';

const OURS = '00000000-0000-4000-8000-000000000000:1';

/** A server whose answers the test gives, at moments that a real one cannot be made to choose. */
class FakeServer implements WaiterServer {
  readonly asked: string[] = [];
  readonly withdrawn: string[] = [];
  answer: (request: LeaseRequest) => Promise<AcquireReply> = async () => busy(OURS, 10_000);
  isMute = false;
  withdrawal: () => Promise<void> = async () => {};

  acquire(request: LeaseRequest): Promise<AcquireReply> {
    this.asked.push(request.id);
    return this.answer(request);
  }

  withdraw(request: LeaseRequest): Promise<void> {
    this.withdrawn.push(request.id);
    return this.withdrawal();
  }

  left(): void {}
}

let clock: ManualClock;
let line: RedisLine;
let server: FakeServer;
beforeEach(() => {
  clock = new ManualClock();
  line = new RedisLine(clock);
  server = new FakeServer();
});

function busy(holder: string | undefined, expiresIn: number, inLine = true): AcquireReply {
  return { granted: false, holder, expiresIn, inLine };
}

function leaseOf(request: LeaseRequest): Lease {
  return { ...request, fencingToken: 1, grantedAt: clock.now() };
}

function granted(request: LeaseRequest): AcquireReply {
  return { granted: true, lease: leaseOf(request) };
}

function wait(id: string, reply: AcquireReply) {
  const request: LeaseRequest = { id, key: 'k', ttl: 1_000, mode: 'exclusive', permits: 1 };
  const told: string[] = [];
  let end = () => {};
  const budget: WaitBudget = {
    timeout: 60_000,
    onWaiting: () => told.push('waiting'),
    onEnd: (callback) => {
      end = callback;
    },
  };
  const waiter = new RedisWaiter(request, line, server, budget);
  const outcomes: (AcquireOutcome | Error)[] = [];
  waiter.outcome.then(
    (outcome) => outcomes.push(outcome),
    (error: Error) => outcomes.push(error),
  );
  waiter.begin(reply);
  return { waiter, request, told, outcomes, end: () => end() };
}

describe('RedisWaiter', () => {
  it('is silent while the lease of our own holder lasts, then asks once (peers.md 9)', async () => {
    wait('a', busy(OURS, 10_000));
    await clock.advance(9_999);
    expect(server.asked).toEqual([]);
    await clock.advance(31); // and up to 30 ms of jitter
    expect(server.asked).toEqual(['a']);
  });

  it('is silent while a released key is kept locked', async () => {
    wait('a', busy('~kept', 10_000));
    await clock.advance(9_999);
    expect(server.asked).toEqual([]);
    await clock.advance(31);
    expect(server.asked).toEqual(['a']);
  });

  it.each([
    ['a holder that tells nobody', busy('f00', 60_000)],
    ['a holder whose lease has no end', busy('f00', -1)],
    ['no place in line', busy(OURS, 60_000, false)],
  ])('asks again at least every tenth of a second, and not in step, with %s', async (_what, reply) => {
    server.answer = async () => reply;
    wait('a', reply);
    await clock.advance(2_000);
    expect(server.asked.length).toBeGreaterThanOrEqual(20);
    expect(server.asked.length).toBeLessThan(120);
  });

  it('looks at the end of a lease that ends sooner than that', async () => {
    wait('a', busy('f00', 1));
    await clock.advance(1);
    expect(server.asked).toEqual(['a']);
  });

  it('says once that it waits, when it has its place in line', async () => {
    const { told, waiter } = wait('a', busy(OURS, 10_000, false));
    expect(told).toEqual([]);
    waiter.look();
    await clock.advance(0);
    waiter.look();
    await clock.advance(0);
    expect(told).toEqual(['waiting']);
  });

  it('asks one question at a time, and one more for all that came meanwhile', async () => {
    const { waiter } = wait('a', busy(OURS, 10_000));
    const answer = deferred<AcquireReply>();
    server.answer = () => answer.promise;
    for (let index = 0; index < 5; index += 1) waiter.look();
    expect(server.asked).toEqual(['a']);
    server.answer = async () => busy(OURS, 10_000);
    answer.resolve(busy(OURS, 10_000));
    await clock.advance(0);
    expect(server.asked).toEqual(['a', 'a']);
  });

  it('waits on while the server is out of reach', async () => {
    const { waiter, outcomes, request } = wait('a', busy(OURS, 10_000));
    server.answer = () => Promise.reject(new Error('down'));
    waiter.look();
    await clock.advance(1_000);
    expect(server.asked.length).toBeGreaterThan(5);
    expect(outcomes).toEqual([]);
    server.answer = async () => granted(request);
    await clock.advance(100);
    expect(outcomes).toEqual([expect.objectContaining({ id: 'a', fencingToken: 1 })]);
  });

  it('gives back a grant that arrives after the end of the wait', async () => {
    const { waiter, outcomes, request, end } = wait('a', busy(OURS, 10_000));
    const answer = deferred<AcquireReply>();
    server.answer = () => answer.promise;
    waiter.look();
    end();
    answer.resolve(granted(request));
    await clock.advance(0);
    // Once for its place in line, and once more behind the question that was on its way.
    expect(server.withdrawn).toEqual(['a', 'a']);
    expect(outcomes).toEqual([{ busy: true, holder: OURS }]);
  });

  it('withdraws at the end of the wait, and asks no more', async () => {
    const { waiter, outcomes, end } = wait('a', busy(OURS, 100));
    end();
    waiter.look();
    await clock.advance(5_000);
    expect(server).toMatchObject({ withdrawn: ['a'], asked: [] });
    expect(outcomes).toEqual([{ busy: true, holder: OURS }]);
  });

  it('says that it waits, although it has no place in line, where nobody can be woken', async () => {
    server.isMute = true;
    expect(wait('a', busy(OURS, 10_000, false)).told).toEqual(['waiting']);
  });

  it('does not call busy what the server did not answer at last', async () => {
    const { waiter, outcomes, end } = wait('a', busy(OURS, 10_000));
    server.answer = () => Promise.reject(new Error('READONLY'));
    waiter.look();
    await clock.advance(0);
    end();
    await clock.advance(0);
    expect(outcomes).toEqual([new Error('READONLY')]);
  });

  it('rejects when it could not withdraw: something may be left', async () => {
    const { outcomes, end } = wait('a', busy(OURS, 100));
    server.withdrawal = () => Promise.reject(new Error('down'));
    end();
    await clock.advance(0);
    expect(outcomes).toEqual([new Error('down')]);
  });
});

describe('RedisLine', () => {
  it('has one timer for all, at the soonest of their times, and the first of them asks', async () => {
    wait('a', busy(OURS, 10_000));
    wait('b', busy(OURS, 5_000));
    wait('c', busy(OURS, 20_000));
    await clock.advance(5_031);
    expect(server.asked).toEqual(['a']);
  });

  it('has the next one ask where the first has left', async () => {
    const { end } = wait('a', busy(OURS, 1_000));
    wait('b', busy(OURS, 1_000));
    end();
    await clock.advance(1_031);
    expect(server.asked).toEqual(['b']);
  });

  it('looks after the lease of one of its own, too, for those behind (peers.md 21)', async () => {
    const a = wait('a', busy(OURS, 100));
    const b = wait('b', busy(OURS, 100));
    server.answer = async (request) => granted(request);
    await clock.advance(131);
    expect(a.outcomes).toHaveLength(1);
    expect(b.outcomes).toHaveLength(0);
    // Nobody releases what `a` has: its lease of a second just ends.
    await clock.advance(1_031);
    expect(server.asked).toEqual(['a', 'b']);
    expect(b.outcomes).toHaveLength(1);
  });

  it('has no timer when the last has left', async () => {
    const { waiter, end } = wait('a', busy(OURS, 100));
    const answer = deferred<AcquireReply>();
    server.answer = () => answer.promise;
    waiter.look();
    end();
    answer.reject(new Error('down'));
    await clock.advance(5_000);
    expect(server.asked).toEqual(['a']);
  });
});
