import { describe, expect, it, vi } from 'vitest';
import { currentLock, LockBusyError, LockOptionsError } from '../../../lib/index.js';
import { controlled, deferred, stateOf, turn } from './support.js';

describe('reentrancy', () => {
  it('8. enters the hold of the calling context without asking the store (peers.md 20)', async () => {
    const { locks, store } = controlled();
    const acquire = vi.spyOn(store, 'acquire');
    const release = vi.spyOn(store, 'release');
    const [outer, inner] = await locks.run('k', async () => {
      const token = currentLock().fencingToken;
      return [token, await locks.run('k', () => currentLock().fencingToken, { wait: 0 })];
    });
    expect(inner).toBe(outer);
    expect(acquire).toHaveBeenCalledTimes(1);
    expect(release).toHaveBeenCalledTimes(1);
  });

  it('8. finds the hold through holds of other keys between', async () => {
    const { locks, store } = controlled();
    const acquire = vi.spyOn(store, 'acquire');
    await locks.run('a', () => locks.run('b', () => locks.run('a', () => currentLock('b').assertHeld())));
    expect(acquire).toHaveBeenCalledTimes(2);
  });

  it('8. does not take a call of another context for one of its own', async () => {
    const { locks } = controlled();
    const done = deferred();
    const holder = locks.run('k', () => done.promise);
    await turn();
    await expect(locks.run('k', () => {}, { wait: 0 })).rejects.toThrow(LockBusyError);
    done.resolve();
    await holder;
  });

  it('9. runs siblings one after another, in the order of their calls', async () => {
    const { locks } = controlled();
    const log: string[] = [];
    const sibling = (name: string) =>
      locks.run('k', async () => {
        log.push(`${name} in`);
        await turn();
        log.push(`${name} out`);
      });
    await locks.run('k', () => Promise.all([sibling('a'), sibling('b'), sibling('c')]));
    expect(log).toEqual(['a in', 'a out', 'b in', 'b out', 'c in', 'c out']);
  });

  it('9. runs a nested call inside its caller, also below a sibling', async () => {
    const { locks } = controlled();
    const nested = () => locks.run('k', () => locks.run('k', turn));
    await expect(locks.run('k', () => Promise.all([nested(), nested()]))).resolves.toHaveLength(2);
  });

  it('9. makes a sibling wait no longer than its wait', async () => {
    const { locks, clock } = controlled();
    const done = deferred();
    const outer = locks.run('k', async () => {
      const first = locks.run('k', () => done.promise);
      const second = locks.run('k', () => {}, { wait: '1s' });
      await expect(locks.run('k', () => {}, { wait: 0 })).rejects.toThrow(LockBusyError);
      const refused = expect(second).rejects.toMatchObject({ code: 'LOCK_BUSY', key: 'k', waited: 1_000 });
      await clock.advance('1s');
      await refused;
      done.resolve();
      await first;
    });
    await outer;
    expect(await locks.inspect('k')).toBeNull();
  });

  it('9. lets a waiting sibling give up by its signal, and the next go on', async () => {
    const { locks } = controlled();
    const done = deferred();
    await locks.run('k', async () => {
      const first = locks.run('k', () => done.promise);
      const controller = new AbortController();
      const second = locks.run('k', () => 'second', { signal: controller.signal });
      const third = locks.run('k', () => 'third');
      controller.abort(new Error('enough'));
      await expect(second).rejects.toThrow('enough');
      done.resolve();
      await first;
      await expect(third).resolves.toBe('third');
    });
  });

  it('9. lets shared siblings overlap', async () => {
    const { locks } = controlled();
    const both = deferred();
    let inside = 0;
    const reader = () =>
      locks.run(
        'k',
        () => {
          inside += 1;
          if (inside === 2) both.resolve();
          return both.promise;
        },
        { mode: 'shared' },
      );
    await locks.run('k', () => Promise.all([reader(), reader()]), { mode: 'shared' });
    expect(inside).toBe(2);
  });

  it('10. keeps the key locked while work outlives its caller', async () => {
    const { locks } = controlled();
    const done = deferred();
    let detached: Promise<void> | undefined;
    await locks.run('k', () => {
      detached = locks.run('k', () => done.promise);
    });
    expect(await locks.tryAcquire('k')).toBeNull();
    done.resolve();
    await detached;
    expect(await locks.inspect('k')).toBeNull();
  });

  it('10. excludes later calls of the caller from work that its callee left behind', async () => {
    const { locks } = controlled();
    const done = deferred();
    const log: string[] = [];
    await locks.run('k', async () => {
      let detached: Promise<void> | undefined;
      await locks.run('k', () => {
        detached = locks.run('k', async () => {
          await done.promise;
          log.push('detached out');
        });
      });
      const later = locks.run('k', () => void log.push('later in'));
      expect(await stateOf(later)).toBe('pending');
      done.resolve();
      await Promise.all([detached, later]);
    });
    expect(log).toEqual(['detached out', 'later in']);
  });

  it('10. takes a new lease for a call that comes after the hold has ended', async () => {
    const { locks } = controlled();
    const fire = deferred();
    let timer: Promise<number> | undefined;
    const first = await locks.run('k', () => {
      timer = fire.promise.then(() => locks.run('k', () => currentLock().fencingToken));
      return currentLock().fencingToken;
    });
    fire.resolve();
    expect(await timer).toBeGreaterThan(first);
  });

  it('10. holds nothing in a timer or listener that inherited an ended context', async () => {
    const { locks } = controlled();
    const fire = deferred();
    let timer: Promise<void> | undefined;
    await locks.run('k', () => {
      timer = fire.promise.then(() => {
        expect(() => currentLock()).toThrow(LockOptionsError);
        expect(() => currentLock('k')).toThrow(/"k"/);
      });
    });
    fire.resolve();
    await timer;
  });

  it('10. takes a new lease when the hold was lost while a sibling waited', async () => {
    const { locks, clock, store } = controlled();
    const done = deferred();
    const outer = locks.run('k', async () => {
      const lost = currentLock().fencingToken;
      const first = locks.run('k', () => done.promise);
      const second = locks.run('k', () => currentLock().fencingToken, { wait: '1m' });
      await store.takeAway('k');
      await clock.advance('10s');
      expect(await second).toBeGreaterThan(lost);
      done.resolve();
      await first.catch(() => {});
    });
    await expect(outer).rejects.toMatchObject({ code: 'LOCK_LOST', reason: 'taken' });
    expect(await locks.inspect('k')).toBeNull();
  });

  it('11. re-enters shared inside exclusive', async () => {
    const { locks } = controlled();
    await locks.run('k', () => locks.run('k', () => currentLock().assertHeld(), { mode: 'shared' }));
  });

  it('11. refuses exclusive inside shared at once, at any depth', async () => {
    const { locks } = controlled();
    const write = () => locks.run('k', () => {}, { wait: '1h' });
    const inShared = locks.run('k', write, { mode: 'shared' });
    await expect(inShared).rejects.toThrow(LockOptionsError);
    const deeper = locks.run('k', () => locks.run('k', write, { mode: 'shared' }));
    await expect(deeper).rejects.toThrow(/held in shared mode/);
    expect(await locks.inspect('k')).toBeNull();
  });

  it('11. keeps a writer and readers apart below one exclusive hold', async () => {
    const { locks } = controlled();
    const log: string[] = [];
    const body = (name: string) => async () => {
      log.push(`${name} in`);
      await turn();
      log.push(`${name} out`);
    };
    await locks.run('k', () =>
      Promise.all([
        locks.run('k', body('r1'), { mode: 'shared' }),
        locks.run('k', body('r2'), { mode: 'shared' }),
        locks.run('k', body('w')),
        locks.run('k', body('r3'), { mode: 'shared' }),
      ]),
    );
    expect(log).toEqual(['r1 in', 'r2 in', 'r1 out', 'r2 out', 'w in', 'w out', 'r3 in', 'r3 out']);
  });

  it('refuses another number of permits below a hold', async () => {
    const { locks } = controlled();
    const nested = locks.run('k', () => locks.run('k', () => {}), { permits: 3 });
    await expect(nested).rejects.toThrow(/3 permit/);
    await expect(locks.run('k', () => locks.run('k', () => 1, { permits: 3 }), { permits: 3 })).resolves.toBe(
      1,
    );
  });

  it('does not grow with a chain of calls that each start the next', async () => {
    const { locks } = controlled();
    let deepest = 0;
    const step = async (left: number): Promise<void> => {
      await new Promise<void>((resolve) => {
        void locks.run(`k${left}`, () => {
          let depth = 0;
          for (let hold: { outer?: unknown } | undefined = currentLock(); hold; ) {
            depth += 1;
            hold = hold.outer as { outer?: unknown } | undefined;
          }
          deepest = Math.max(deepest, depth);
          setImmediate(() => void (left > 0 ? step(left - 1) : Promise.resolve()).then(resolve));
        });
      });
    };
    await step(50);
    expect(deepest).toBeLessThanOrEqual(2);
  });
});
