import { Controller, Get } from '@nestjs/common';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { currentLock, DistributedLock, LockModule, LockService } from '../../lib/index.js';
import { ControllableStore } from '../../lib/testing/index.js';
import { bootHttp, bootModule } from '../support/boot-app.js';
import { deferred } from '../support/deferred.js';

const handling = { entered: deferred<AbortSignal>(), finish: deferred<string>() };

@Controller()
class SlowController {
  @Get()
  @DistributedLock({ key: 'slow' })
  async slow(): Promise<string> {
    handling.entered.resolve(currentLock().signal);
    return handling.finish.promise;
  }
}

describe('shutdown of an application', () => {
  it('17. closes each of several stores, and one that has two names only once', async () => {
    const [one, other] = [new ControllableStore(), new ControllableStore()];
    const closes = [vi.spyOn(one, 'close'), vi.spyOn(other, 'close')];
    const app = await bootModule({
      imports: [LockModule.forRoot({ stores: { default: one, orders: one, billing: other } })],
    });
    await app.close();
    for (const close of closes) expect(close).toHaveBeenCalledOnce();
  });

  it('17. leaves locks free for an application that shares the store object', async () => {
    const store = new ControllableStore();
    const [one, other] = [
      await bootModule({ imports: [LockModule.forRoot({ store })] }),
      await bootModule({ imports: [LockModule.forRoot({ store })] }),
    ];
    const hold = await one.get(LockService).acquire('k');
    const closing = one.close();
    await store.clock.advance('10s');
    await closing;
    expect(hold.signal.reason).toHaveProperty('reason', 'shutdown');
    expect(await other.get(LockService).run('k', () => 'free', { wait: 0 })).toBe('free');
  });

  it('17. tells the handler of a request that outlives shutdownTimeout, though its connection is open', async () => {
    const store = new ControllableStore();
    const { app, url } = await bootHttp(
      { imports: [LockModule.forRoot({ store })], controllers: [SlowController] },
      { forceCloseConnections: false },
    );
    onTestFinished(() => handling.finish.resolve('late')); // runs before the one that closes the application
    const answer = fetch(url);
    const signal = await handling.entered.promise;
    const closing = app.close();
    await store.clock.advance('11s');
    expect(signal.reason).toHaveProperty('reason', 'shutdown');
    handling.finish.resolve('late');
    expect((await answer).status).toBe(500);
    await closing;
  });
});
