import {
  type ArgumentsHost,
  Catch,
  Controller,
  type ExceptionFilter,
  Injectable,
  Post,
  UseFilters,
} from '@nestjs/common';
import { APP_FILTER, ExternalContextCreator, HttpAdapterHost } from '@nestjs/core';
import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host.js';
import { describe, expect, it } from 'vitest';
import { DistributedLock, LockBusyError, LockError, LockModule } from '../../lib/index.js';
import { LockExceptionFilter } from '../../lib/integrations/http/index.js';
import { ControllableStore } from '../../lib/testing/index.js';
import { errorOf } from '../support/deferred.js';
import { bootOn, PLATFORMS } from '../support/http-platforms.js';

@Controller('orders')
class OrdersController {
  @Post()
  @DistributedLock({ key: 'order', wait: 0 })
  async ship(): Promise<void> {}
}

@Controller('orders')
@UseFilters(LockExceptionFilter)
class FilteringController {
  @Post()
  @DistributedLock({ key: 'order', wait: 0 })
  async ship(): Promise<void> {}
}

/** A store on which "order" is busy. */
async function busyLocks() {
  const store = new ControllableStore();
  await store.holdElsewhere('order');
  return { store, imports: [LockModule.forRoot({ store, shutdownTimeout: 0 })] };
}

describe.each(PLATFORMS)('LockExceptionFilter on %s', (platform) => {
  it('works with @UseFilters()', async () => {
    const { imports } = await busyLocks();
    const { ask } = await bootOn(platform, { imports, controllers: [FilteringController] });
    expect((await ask('/orders', { method: 'POST' })).status).toBe(423);
  });

  it('works with useGlobalFilters(), and says when to try again as it was told', async () => {
    const { imports } = await busyLocks();
    const { ask } = await bootOn(platform, { imports, controllers: [OrdersController] }, (app) =>
      app.useGlobalFilters(new LockExceptionFilter(app.get(HttpAdapterHost), { retryAfter: '2500ms' })),
    );
    const answer = await ask('/orders', { method: 'POST' });
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([423, '3']);
  });

  it('is passed by a filter that is nearer', async () => {
    @Catch(LockError)
    class Teapot implements ExceptionFilter {
      constructor(private readonly adapterHost: HttpAdapterHost) {}

      catch(_error: LockError, host: ArgumentsHost): void {
        this.adapterHost.httpAdapter.reply(host.switchToHttp().getResponse(), 'tea', 418);
      }
    }
    @Controller('orders')
    @UseFilters(Teapot)
    class TeaController extends OrdersController {}
    const { imports } = await busyLocks();
    const providers = [{ provide: APP_FILTER, useClass: LockExceptionFilter }];
    const { ask } = await bootOn(platform, { imports, providers, controllers: [TeaController] });
    expect((await ask('/orders', { method: 'POST' })).status).toBe(418);
  });
});

describe('LockExceptionFilter', () => {
  it('refuses options that it does not know, and times that are none', () => {
    const filter = (options: object) => () => new LockExceptionFilter(new HttpAdapterHost(), options);
    expect(filter({ retryafter: '1s' })).toThrow(/LockExceptionFilter: there is no option `retryafter`/);
    expect(filter({ retryAfter: '1 second' })).toThrow(/`retryAfter` '1 second' is no duration/);
    expect(filter({ retryAfter: 0 })).toThrow(/`retryAfter` 0 is too short: at least 1000 ms/);
  });

  it('leaves resolvers and other handlers that are not HTTP to Nest: they fail with the lock error', async () => {
    @Injectable()
    class OrdersResolver {
      @UseFilters(LockExceptionFilter)
      @DistributedLock({ key: 'order', wait: 0 })
      async ship(): Promise<void> {}
    }
    const { imports } = await busyLocks();
    const { app } = await bootOn('Express', { imports, providers: [OrdersResolver, LockExceptionFilter] });
    const resolver = app.get(OrdersResolver);
    const ship = app
      .get(ExternalContextCreator)
      .create(
        resolver,
        resolver.ship,
        'ship',
        undefined,
        undefined,
        undefined,
        undefined,
        undefined,
        'graphql',
      );
    expect(await errorOf(ship())).toBeInstanceOf(LockBusyError);
  });

  it('returns nothing for messages, so that Nest goes on as without it; what a gateway would swallow is logged', async () => {
    const { app, log } = await bootOn('Express', {});
    const filter = new LockExceptionFilter(app.get(HttpAdapterHost));
    const error = new LockBusyError({ key: 'order:1', waited: 0 });
    const host = new ExecutionContextHost([{}, {}]);
    host.setType('rpc');
    expect(filter.catch(error, host)).toBeUndefined();
    expect(log.of('error')).toEqual([]);
    host.setType('ws');
    filter.catch(error, host);
    expect(log.of('error')).toEqual([expect.stringContaining('order:1')]);
  });
});
