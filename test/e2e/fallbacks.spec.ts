import { Injectable } from '@nestjs/common';
import { describe, expect, it } from 'vitest';
import { currentLock, DistributedLock, LockBusyError, LockUnavailableError } from '../../lib/index.js';
import { bootWith } from '../support/boot-app.js';
import { errorOf } from '../support/deferred.js';

@Injectable()
class Orders {
  readonly shop = 'corner shop';
  runs = 0;

  @DistributedLock({ key: 'order:{id}' })
  async patient(id: string): Promise<string> {
    return this.#run(id);
  }

  @DistributedLock({ key: 'order:{id}', wait: 0 })
  async hasty(id: string): Promise<string> {
    return this.#run(id);
  }

  @DistributedLock({ key: 'order:{id}', wait: 0, onBusy: 'skip' })
  async skipping(id: string): Promise<string | undefined> {
    return this.#run(id);
  }

  @DistributedLock({
    key: 'order:{id}',
    wait: 0,
    async onBusy(this: Orders, id: string, count: number): Promise<string> {
      if (count < 0) throw new RangeError('fewer than none');
      return `${this.shop}: ${count} of ${id} later`;
    },
  })
  async deferring(id: string, _count: number): Promise<string> {
    return this.#run(id);
  }

  @DistributedLock({ key: 'order:{id}', wait: 0, onUnavailable: 'run' })
  async regardless(id: string): Promise<string> {
    return this.#run(id);
  }

  #run(id: string): string {
    this.runs += 1;
    return `${id} ${isLocked() ? 'locked' : 'unlocked'}`;
  }
}

function isLocked(): boolean {
  try {
    return currentLock().remaining() > 0;
  } catch {
    return false;
  }
}

describe('a busy key', () => {
  it('throws LockBusyError when the wait is over: which key, how long, who, and where', async () => {
    const { service, store, log } = await bootWith(Orders);
    await store.holdElsewhere('order:1');
    const call = errorOf(service.patient('1'));
    await log.seen('onWaiting');
    await store.clock.advance('5s');
    const error = await call;
    expect(error).toBeInstanceOf(LockBusyError);
    expect(error).toMatchObject({ key: 'order:1', waited: 5_000, holder: 'elsewhere:1' });
    expect(String(error)).toMatch(
      /Orders\.patient: "order:1" is locked by elsewhere:1 after waiting 5000 ms/,
    );
    expect(service.runs).toBe(0);
  });

  it('is waited for until it is free', async () => {
    const { service, store, log } = await bootWith(Orders);
    const elsewhere = await store.holdElsewhere('order:1');
    const call = service.patient('1');
    await log.seen('onWaiting');
    await elsewhere.release();
    expect(await call).toBe('1 locked');
  });

  it('with `wait: 0` is tried once', async () => {
    const { service, store, log } = await bootWith(Orders);
    await store.holdElsewhere('order:1');
    expect(await errorOf(service.hasty('1'))).toMatchObject({ code: 'LOCK_BUSY', waited: 0 });
    expect(log.names).toEqual(['onBusy']);
  });

  it("with `onBusy: 'skip'` gives undefined, and the method does not run", async () => {
    const { service, store } = await bootWith(Orders);
    const elsewhere = await store.holdElsewhere('order:1');
    expect(await service.skipping('1')).toBeUndefined();
    expect(service.runs).toBe(0);
    await elsewhere.release();
    expect(await service.skipping('1')).toBe('1 locked');
  });

  it('with a function gives what that makes of the object and the arguments, or its error', async () => {
    const { service, store } = await bootWith(Orders);
    await store.holdElsewhere('order:1');
    expect(await service.deferring('1', 3)).toBe('corner shop: 3 of 1 later');
    expect(await errorOf(service.deferring('1', -1))).toBeInstanceOf(RangeError);
    expect(service.runs).toBe(0);
  });
});

describe('a store that is down', () => {
  it('is another matter than a busy key (peers.md 5)', async () => {
    const { service, store } = await bootWith(Orders);
    const cause = new Error('connection refused');
    store.goDown(cause);
    for (const call of [service.patient('1'), service.skipping('1'), service.deferring('1', 3)]) {
      const error = await errorOf(call);
      expect(error).toBeInstanceOf(LockUnavailableError);
      expect(error).toMatchObject({ key: 'order:1', cause });
      expect(String(error)).toMatch(/controllable store failed: connection refused/);
    }
    expect(service.runs).toBe(0);
  });

  it('16b. and so is one that is silent (peers.md 5)', async () => {
    const { service, store, log } = await bootWith(Orders, { storeTimeout: '1s' });
    store.goSilent();
    const call = errorOf(service.patient('1'));
    await store.clock.advance('6s');
    const error = await call;
    expect(log.of('onError')).toMatchObject([{ operation: 'acquire', keys: ['order:1'], error }]);
    expect(error).toBeInstanceOf(LockUnavailableError);
    expect(String(error)).toMatch(/did not answer in time/);
    store.comeBack();
    await store.clock.advance('1s');
    expect(await store.inspect('order:1')).toBeNull();
  });

  it("with `onUnavailable: 'run'` runs the method without a lock", async () => {
    const { service, store } = await bootWith(Orders);
    store.goDown();
    expect(await service.regardless('1')).toBe('1 unlocked');
    store.comeBack();
    expect(await service.regardless('1')).toBe('1 locked');
  });

  it("`onUnavailable: 'run'` does not run beside the holder of a busy key", async () => {
    const { service, store } = await bootWith(Orders);
    await store.holdElsewhere('order:1');
    expect(await errorOf(service.regardless('1'))).toBeInstanceOf(LockBusyError);
    expect(service.runs).toBe(0);
  });
});
