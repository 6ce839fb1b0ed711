import {
  type CanActivate,
  Controller,
  Get,
  Header,
  HttpCode,
  NotFoundException,
  Param,
  Post,
  Sse,
  UseGuards,
} from '@nestjs/common';
import { NEVER, Observable, of, startWith, throwError } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { currentLock, DistributedLock, LockModule, LockService, memoryStore } from '../../lib/index.js';
import { bootHttp } from '../support/boot-app.js';
import { deferred } from '../support/deferred.js';
import { EventLog } from '../support/event-log.js';

class Closed implements CanActivate {
  canActivate(): boolean {
    return false;
  }
}

const slow = { entered: deferred(), finish: deferred() };

@Controller('orders')
class OrdersController {
  @DistributedLock({ key: 'order:{id}' })
  @Get('below/:id')
  async below(@Param('id') id: string): Promise<object> {
    return { id, key: currentLock().key };
  }

  @Get('above/:id')
  @Header('x-shop', 'open')
  @HttpCode(202)
  @DistributedLock({ key: 'order:{id}' })
  async above(@Param('id') id: string): Promise<object> {
    return { id, key: currentLock().key };
  }

  @Post('guarded/:id')
  @UseGuards(Closed)
  @DistributedLock({ key: 'order:{id}' })
  async guardedAbove(@Param('id') id: string): Promise<string> {
    return id;
  }

  @DistributedLock({ key: 'order:{id}' })
  @UseGuards(Closed)
  @Post('guarded-below/:id')
  async guardedBelow(@Param('id') id: string): Promise<string> {
    return id;
  }

  @Get('missing/:id')
  @DistributedLock({ key: 'order:{id}' })
  async missing(@Param('id') id: string): Promise<string> {
    throw new NotFoundException(`no order ${id}`);
  }

  @Get('slow')
  @DistributedLock({ key: 'slow', onBusy: () => 'busy', wait: 0 })
  async slow(): Promise<string> {
    slow.entered.resolve();
    await slow.finish.promise;
    return 'done';
  }

  @Get('stream/:id')
  @DistributedLock({ key: 'order:{id}' })
  stream(@Param('id') id: string): Observable<object> {
    return of({ id, key: currentLock().key });
  }

  @Get('missing-stream/:id')
  @DistributedLock({ key: 'order:{id}' })
  missingStream(@Param('id') id: string): Observable<object> {
    return throwError(() => new NotFoundException(`no order ${id}`));
  }

  @Sse('events')
  @DistributedLock({ key: 'events' })
  events(): Observable<object> {
    return NEVER.pipe(startWith({ data: 'first' }));
  }
}

async function boot() {
  const log = new EventLog();
  const imports = [LockModule.forRoot({ store: memoryStore(), observers: [log] })];
  const { app, url } = await bootHttp({ imports, controllers: [OrdersController] });
  return { log, locks: app.get(LockService), ask: (path: string) => fetch(`${url}/orders/${path}`) };
}

describe('controllers over HTTP', () => {
  it('5. locks handlers above and below the route decorator', async () => {
    const { ask } = await boot();
    expect(await (await ask('below/1')).json()).toEqual({ id: '1', key: 'order:1' });
    const above = await ask('above/a%20b');
    expect(await above.json()).toEqual({ id: 'a b', key: 'order:a%20b' });
    expect(above.status).toBe(202);
    expect(above.headers.get('x-shop')).toBe('open');
  });

  it('5. leaves guards in force, above and below', async () => {
    const { app, url } = await bootHttp({
      imports: [LockModule.forRoot({ store: memoryStore() })],
      controllers: [OrdersController],
    });
    expect((await fetch(`${url}/orders/guarded/1`, { method: 'POST' })).status).toBe(403);
    expect((await fetch(`${url}/orders/guarded-below/1`, { method: 'POST' })).status).toBe(403);
    expect(await app.get(LockService).inspect('order:1')).toBeNull();
  });

  it('7. a 404 stays a 404, with its message (peers.md 13)', async () => {
    const { ask, locks } = await boot();
    for (const path of ['missing/9', 'missing-stream/9']) {
      const answer = await ask(path);
      expect(answer.status).toBe(404);
      expect(await answer.json()).toMatchObject({ message: 'no order 9', statusCode: 404 });
    }
    expect(await locks.inspect('order:9')).toBeNull();
  });

  it('keeps two requests apart', async () => {
    const { ask } = await boot();
    const first = ask('slow');
    await slow.entered.promise;
    expect(await (await ask('slow')).text()).toBe('busy');
    slow.finish.resolve();
    expect(await (await first).text()).toBe('done');
  });

  it('6. answers with what an Observable gave inside its lock', async () => {
    const { ask } = await boot();
    expect(await (await ask('stream/3')).json()).toEqual({ id: '3', key: 'order:3' });
  });

  it('6. an event stream is locked until its reader goes away', async () => {
    const { ask, log, locks } = await boot();
    const reader = (await ask('events')).body?.getReader();
    const first = await reader?.read();
    expect(Buffer.from(first?.value ?? []).toString()).toContain('first');
    expect((await locks.inspect('events'))?.holders).toHaveLength(1);
    await reader?.cancel();
    await log.seen('onReleased');
    expect(await locks.inspect('events')).toBeNull();
  });
});
