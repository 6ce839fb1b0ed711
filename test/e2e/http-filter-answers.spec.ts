import type { ServerResponse } from 'node:http';
import { Body, Controller, Get, NotFoundException, Param, Post, Res } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { describe, expect, it } from 'vitest';
import { DistributedLock, LockModule, LockService } from '../../lib/index.js';
import { LockExceptionFilter } from '../../lib/integrations/http/index.js';
import { ControllableStore } from '../../lib/testing/index.js';
import { type Deferred, deferred } from '../support/deferred.js';
import { EventLog } from '../support/event-log.js';
import { bootOn, PLATFORMS, type Platform } from '../support/http-platforms.js';

const work: { entered: Deferred<void>; finish: Deferred<void> } = {
  entered: deferred(),
  finish: deferred(),
};

@Controller('orders')
class OrdersController {
  constructor(private readonly locks: LockService) {}

  @Post(':id/try')
  @DistributedLock({ key: 'order:{id}', wait: 0 })
  async try(@Param('id') id: string): Promise<object> {
    return { id };
  }

  @Post(':id/wait')
  @DistributedLock({ key: 'order:{id}', wait: '7500ms' })
  async wait(@Param('id') id: string): Promise<object> {
    return { id };
  }

  @Post(':id/work')
  @DistributedLock({ key: 'order:{id}' })
  async work(@Param('id') id: string): Promise<object> {
    work.entered.resolve();
    await work.finish.promise;
    return { id };
  }

  @Get(':id')
  @DistributedLock({ key: 'order:{id}' })
  async find(@Param('id') id: string): Promise<object> {
    throw new NotFoundException(`no order ${id}`);
  }

  @Post('pay')
  @DistributedLock({ key: 'payment:{0.idempotencyKey}', wait: 0 })
  async pay(@Body() payment: { idempotencyKey?: string }): Promise<object> {
    return { paid: payment.idempotencyKey };
  }

  /** Fails when a part of its answer was sent already. */
  @Get(':id/begun')
  async begun(@Param('id') id: string, @Res({ passthrough: true }) response: Begun): Promise<string> {
    const { raw = response } = response;
    raw.writeHead(200, { 'content-type': 'text/plain' });
    raw.write('a part');
    return this.locks.run(`order:${id}`, () => 'the rest', { wait: 0 });
  }
}

/** Of Express itself, of Fastify what it wraps. */
interface Begun extends ServerResponse {
  readonly raw?: ServerResponse;
}

async function boot(platform: Platform) {
  work.entered = deferred();
  work.finish = deferred();
  const store = new ControllableStore();
  const events = new EventLog();
  const { ask, ...rest } = await bootOn(platform, {
    imports: [LockModule.forRoot({ store, observers: [events], shutdownTimeout: 0 })],
    controllers: [OrdersController],
    providers: [{ provide: APP_FILTER, useClass: LockExceptionFilter }],
  });
  const json = { 'content-type': 'application/json' };
  const post = (path: string, body: object = {}) =>
    ask(`/orders/${path}`, { method: 'POST', headers: json, body: JSON.stringify(body) });
  return { ...rest, store, events, post, get: (path: string) => ask(`/orders/${path}`) };
}

describe.each(PLATFORMS)('LockExceptionFilter on %s', (platform) => {
  it('answers 423 for a busy key, and tells nothing of it', async () => {
    const { store, post, log } = await boot(platform);
    await store.holdElsewhere('order:42');
    const answer = await post('42/try');
    expect(answer.status).toBe(423);
    expect(answer.headers.get('retry-after')).toBe('1');
    expect(await answer.json()).toEqual({
      statusCode: 423,
      message: 'The resource is locked by another request. Try again later.',
      error: 'Locked',
    });
    expect([...log.of('warn'), ...log.of('error')]).toEqual([]);
  });

  it('tells one who waited in vain to come again after as long', async () => {
    const { store, events, post } = await boot(platform);
    await store.holdElsewhere('order:42');
    const asked = post('42/wait');
    await events.seen('onWaiting');
    await store.clock.advance('7500ms');
    expect((await asked).headers.get('retry-after')).toBe('8');
  });

  it('answers 503 while the store is down, and logs why', async () => {
    const { store, post, log } = await boot(platform);
    store.goDown(new Error('connection to 10.0.0.7 refused'));
    const answer = await post('42/try');
    expect(answer.status).toBe(503);
    expect(answer.headers.get('retry-after')).toBe('1');
    expect(await answer.json()).toEqual({
      statusCode: 503,
      message: 'The service is unavailable at the moment. Try again later.',
      error: 'Service Unavailable',
    });
    expect(log.of('error')).toEqual([expect.stringMatching(/OrdersController\.try.*order:42.*10\.0\.0\.7/)]);
    store.comeBack();
    expect((await post('42/try')).status).toBe(201);
  });

  it('answers 409 when the lock was lost, with no hint to repeat, and logs it', async () => {
    const { store, post, log } = await boot(platform);
    const asked = post('42/work');
    await work.entered.promise;
    await store.takeAway('order:42');
    await store.clock.advance('30s');
    work.finish.resolve();
    const answer = await asked;
    expect(answer.status).toBe(409);
    expect(answer.headers.get('retry-after')).toBeNull();
    expect(await answer.json()).toEqual({
      statusCode: 409,
      message: 'The request may have overlapped with another one. Check its outcome before trying again.',
      error: 'Conflict',
    });
    expect(log.of('warn')).toEqual([expect.stringMatching(/order:42.*no longer locked/)]);
  });

  it('7. leaves an HttpException of the method as it is (peers.md 13)', async () => {
    const { get } = await boot(platform);
    const answer = await get('42');
    expect(answer.status).toBe(404);
    expect(answer.headers.get('retry-after')).toBeNull();
    expect(await answer.json()).toEqual({ statusCode: 404, message: 'no order 42', error: 'Not Found' });
  });

  it('keeps two payments with one idempotency key apart, and only those', async () => {
    const { store, post } = await boot(platform);
    await store.holdElsewhere('payment:abc');
    expect((await post('pay', { idempotencyKey: 'abc' })).status).toBe(423);
    expect(await (await post('pay', { idempotencyKey: 'abd' })).json()).toEqual({ paid: 'abd' });
  });

  it('leaves a key that cannot be made to Nest: a 500, logged, that tells nothing', async () => {
    const { post, log } = await boot(platform);
    const answer = await post('pay');
    expect(answer.status).toBe(500);
    expect(await answer.json()).toEqual({ statusCode: 500, message: 'Internal server error' });
    expect(log.of('error')).toEqual([expect.stringContaining('OrdersController.pay')]);
  });

  it('ends an answer that has begun', async () => {
    const { store, get, log } = await boot(platform);
    await store.holdElsewhere('order:7');
    const answer = await get('7/begun');
    expect([answer.status, await answer.text()]).toEqual([200, 'a part']);
    expect(log.of('error')).toEqual([]); // of headers that cannot be sent any more
  });
});
