import { describe, expect, it, vi } from 'vitest';
import { LockBusyError, LockOptionsError, LockUnavailableError } from '../../../lib/index.js';
import { controlled, deferred, stateOf, turn } from './support.js';

describe('waiting', () => {
  it('16a. serves callers in the order of their coming, over all modes', async () => {
    const { locks } = controlled();
    const served: string[] = [];
    const first = deferred();
    const holder = locks.run('k', () => first.promise, { mode: 'shared' });
    await turn();
    const calls = [
      locks.run('k', () => void served.push('writer')),
      locks.run('k', () => void served.push('reader'), { mode: 'shared' }),
    ];
    await turn();
    expect(served).toEqual([]);
    first.resolve();
    await Promise.all([holder, ...calls]);
    expect(served).toEqual(['writer', 'reader']);
  });

  it('16a. lets tryAcquire pass nobody', async () => {
    const { locks } = controlled();
    const reader = await locks.acquire('k', { mode: 'shared' });
    const writer = locks.acquire('k');
    await turn();
    expect(await locks.tryAcquire('k', { mode: 'shared' })).toBeNull();
    await reader.release();
    await (await writer).release();
    expect(await locks.tryAcquire('k', { mode: 'shared' })).not.toBeNull();
  });

  it('16a. refuses another number of permits', async () => {
    const { locks } = controlled();
    const hold = await locks.acquire('k', { permits: 2 });
    await expect(locks.acquire('k', { permits: 3 })).rejects.toThrow(LockOptionsError);
    await expect(locks.tryAcquire('k')).rejects.toThrow(LockOptionsError);
    await hold.release();
  });

  it('16b. is busy when the wait runs out, with the key, the time waited and the holder', async () => {
    const { locks, store, clock } = controlled();
    await store.holdElsewhere('k');
    const refused = expect(locks.acquire('k', { wait: '3s' })).rejects.toMatchObject({
      code: 'LOCK_BUSY',
      key: 'k',
      waited: 3_000,
      holder: 'elsewhere:1',
      message: expect.stringMatching(
        /LockService.acquire: "k" is locked by elsewhere:1 after waiting 3000 ms/,
      ),
    });
    await clock.advance('3s');
    await refused;
  });

  it('16b. tells a busy key from a store that is down, with the cause (peers.md 5)', async () => {
    const { locks, store } = controlled();
    const cause = new Error('ECONNREFUSED');
    store.goDown(cause);
    const error: unknown = await locks.acquire('k').catch((reason) => reason);
    expect(error).toBeInstanceOf(LockUnavailableError);
    expect(error).not.toBeInstanceOf(LockBusyError);
    expect(error).toMatchObject({ code: 'LOCK_UNAVAILABLE', key: 'k', cause });
  });

  it('16b. is unavailable when the store did not answer in that time', async () => {
    const { locks, store, clock } = controlled();
    store.goSilent();
    const call = locks.acquire('k', { wait: '3s' });
    const refused = expect(call).rejects.toThrow(LockUnavailableError);
    await clock.advance(4_999);
    expect(await stateOf(call)).toBe('pending');
    await clock.advance(1);
    await refused;
  });

  it('gives up at once by its signal, with the reason of the signal', async () => {
    const { locks, store } = controlled();
    const other = await store.holdElsewhere('k');
    const controller = new AbortController();
    const call = locks.acquire('k', { signal: controller.signal });
    await turn();
    controller.abort(new Error('enough'));
    await expect(call).rejects.toThrow('enough');
    expect((await locks.inspect('k'))?.waiters).toEqual([]);
    await other.release();
    await expect(locks.acquire('k', { signal: AbortSignal.abort(new Error('no')) })).rejects.toThrow('no');
    expect(await locks.inspect('k')).toBeNull();
  });

  it('tells observers of waiting, busy and acquired', async () => {
    const seen: unknown[] = [];
    const see = (name: string) => (event: object) => void seen.push({ name, ...event });
    const { locks, store, clock } = controlled({
      onWaiting: see('waiting'),
      onBusy: see('busy'),
      onAcquired: see('acquired'),
    });
    const other = await store.holdElsewhere('k');
    await locks.tryAcquire('k');
    const acquiring = locks.acquire('k');
    await clock.advance('1s');
    await other.release();
    const hold = await acquiring;
    const event = { store: 'default', key: 'k', mode: 'exclusive' };
    expect(seen).toEqual([
      { ...event, name: 'busy', site: 'LockService.tryAcquire', waited: 0, holder: 'elsewhere:1' },
      { ...event, name: 'waiting', site: 'LockService.acquire' },
      {
        ...event,
        name: 'acquired',
        site: 'LockService.acquire',
        waited: 1_000,
        fencingToken: hold.fencingToken,
      },
    ]);
  });

  it('takes a store that throws for one that rejects', async () => {
    const { locks, store } = controlled();
    vi.spyOn(store, 'acquire').mockImplementation(() => {
      throw new Error('a bug in the store');
    });
    await expect(locks.acquire('k')).rejects.toThrow(LockUnavailableError);
  });

  it.each([
    ['[]', [] as string[]],
    ['an empty key', ''],
    ['undefined', undefined as unknown as string],
    ['an array with an empty key', ['a', '']],
  ])('refuses %s as a key, and runs nothing (peers.md 5, 14)', async (_, key) => {
    const { locks, store } = controlled();
    const body = vi.fn();
    const acquire = vi.spyOn(store, 'acquire');
    await expect(locks.run(key, body)).rejects.toMatchObject({ code: 'LOCK_KEY' });
    expect(body).not.toHaveBeenCalled();
    expect(acquire).not.toHaveBeenCalled();
  });
});
