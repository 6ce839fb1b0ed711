import { Readable } from 'node:stream';
import { CACHE_MANAGER, type Cache, CacheKey, CacheModule, CacheTTL } from '@nestjs/cache-manager';
import {
  ConflictException,
  Controller,
  type ExecutionContext,
  Get,
  Injectable,
  Param,
  Res,
  Sse,
  StreamableFile,
  UseInterceptors,
} from '@nestjs/common';
import { APP_INTERCEPTOR, ExternalContextCreator } from '@nestjs/core';
import { NEVER, type Observable, startWith } from 'rxjs';
import { beforeEach, describe, expect, it } from 'vitest';
import { LockModule } from '../../lib/index.js';
import { LockedCache, LockedCacheInterceptor, StampedeGuard } from '../../lib/integrations/cache/index.js';
import { ControllableStore } from '../../lib/testing/index.js';
import { deferred } from '../support/deferred.js';
import { EventLog } from '../support/event-log.js';
import { bootOn, PLATFORMS, type Platform } from '../support/http-platforms.js';

/** A gate in the handlers: how many have come to it, and what opens it. */
const gate = { entered: 0, reached: deferred(), opened: deferred() };
async function passGate(): Promise<number> {
  gate.entered += 1;
  const number = gate.entered;
  gate.reached.resolve();
  await gate.opened.promise;
  return number;
}
beforeEach(() => Object.assign(gate, { entered: 0, reached: deferred(), opened: deferred() }));

/** By user: what one is given is not for another. */
@Injectable()
class UserCacheInterceptor extends LockedCacheInterceptor {
  protected override allowedMethods = ['GET', 'POST'];

  protected override trackBy(context: ExecutionContext): string | undefined {
    const request = context.switchToHttp().getRequest<{ headers: Record<string, string> }>();
    return this.isRequestCacheable(context) ? `user:${request.headers['x-user']}` : undefined;
  }
}

@Controller('cats')
@UseInterceptors(LockedCacheInterceptor)
class CatsController {
  @Get()
  async list(): Promise<object> {
    return { run: await passGate() };
  }

  @Get('full')
  async full(): Promise<object> {
    throw new ConflictException(`run ${await passGate()}`);
  }

  @Get('file')
  async file(): Promise<StreamableFile> {
    const number = await passGate();
    return new StreamableFile(Readable.from([`file ${number}`]));
  }

  @Get('own-answer')
  async ownAnswer(@Res() response: { send(text: string): void }): Promise<void> {
    response.send(`own ${await passGate()}`);
  }

  @Sse('events')
  events(): Observable<object> {
    return NEVER.pipe(startWith({ data: 'first' }));
  }

  @Get('stale')
  @CacheTTL(60_000)
  @LockedCache({ staleFor: '1m' })
  async stale(): Promise<object> {
    return { run: await passGate() };
  }

  @Get('without-ttl')
  @LockedCache({ staleFor: '1m' })
  async withoutTtl(): Promise<object> {
    return { run: await passGate() };
  }

  @Get('elsewhere')
  @LockedCache({ lockStore: 'billing' })
  async elsewhere(): Promise<object> {
    return { run: await passGate() };
  }
}

@Controller('birds')
@UseInterceptors(LockedCacheInterceptor)
@LockedCache({ lockStore: 'billing' })
class BirdsController {
  @Get('by-class')
  async byClass(): Promise<object> {
    return { run: await passGate() };
  }

  @Get('by-handler')
  @LockedCache({ wait: '1s' })
  async byHandler(): Promise<object> {
    return { run: await passGate() };
  }
}

@Controller('me')
@UseInterceptors(UserCacheInterceptor)
class MeController {
  @Get()
  async me(): Promise<object> {
    return { run: await passGate() };
  }
}

async function boot(platform: Platform) {
  const store = new ControllableStore();
  const events = new EventLog();
  let arrived = 0;
  const { app, ask, log } = await bootOn(
    platform,
    {
      imports: [
        CacheModule.register(),
        LockModule.forRoot({ store, observers: [events], shutdownTimeout: 0 }),
      ],
      controllers: [CatsController, BirdsController, MeController],
      providers: [StampedeGuard],
    },
    (prepared) =>
      prepared.use((_request: unknown, _response: unknown, next: () => void) => {
        arrived += 1;
        next();
      }),
  );
  /** Asks so many times at once, and lets the handlers go on when all requests have come. */
  const askTogether = async (path: string, count: number) => {
    arrived = 0;
    const asked = Array.from({ length: count }, () => ask(path));
    await expect.poll(() => arrived).toBe(count);
    await gate.reached.promise;
    gate.opened.resolve();
    return Promise.all(asked);
  };
  return { app, ask, askTogether, events, log, store, cache: app.get<Cache>(CACHE_MANAGER) };
}

async function textsOf(answers: readonly Response[]): Promise<ReadonlySet<string>> {
  return new Set(await Promise.all(answers.map((answer) => answer.text())));
}

describe.each(PLATFORMS)('LockedCacheInterceptor on %s', (platform) => {
  it('runs the handler once for all who ask at the same time', async () => {
    const { ask, askTogether } = await boot(platform);
    expect(await textsOf(await askTogether('/cats', 50))).toEqual(new Set(['{"run":1}']));
    expect(gate.entered).toBe(1);
    const later = await ask('/cats');
    expect([later.headers.get('x-cache'), await later.json()]).toEqual(['HIT', { run: 1 }]);
  });

  it('shares its loads with the guard, under the same key', async () => {
    const { app, ask, events } = await boot(platform);
    const asked = ask('/cats');
    await gate.reached.promise;
    const guarded = app.get(StampedeGuard).getOrLoad('/cats', () => 'another');
    gate.opened.resolve();
    expect(await guarded).toEqual({ run: 1 });
    expect(await (await asked).json()).toEqual({ run: 1 });
    expect(events.of('onWaiting')).toEqual([]); // as one that did not know of the other would
  });

  it('waits for another process, and reads what it wrote', async () => {
    const { ask, events, store, cache } = await boot(platform);
    const elsewhere = await store.holdElsewhere('cache:/cats');
    const asked = ask('/cats');
    await events.seen('onWaiting');
    await cache.set('/cats', { run: 'elsewhere' });
    await elsewhere.release();
    const answer = await asked;
    expect([answer.headers.get('x-cache'), await answer.json()]).toEqual(['HIT', { run: 'elsewhere' }]);
    expect(gate.entered).toBe(0);
  });

  it('7. tells an HttpException to those who shared it, and runs the handler for the next (peers.md 13)', async () => {
    const { ask, askTogether } = await boot(platform);
    for (const answer of await askTogether('/cats/full', 3)) {
      expect(answer.status).toBe(409);
      expect(answer.headers.get('x-cache')).toBe('MISS');
      expect(await answer.json()).toEqual({ statusCode: 409, message: 'run 1', error: 'Conflict' });
    }
    expect(await (await ask('/cats/full')).json()).toMatchObject({ message: 'run 2' });
  });

  it('gives everyone a file of their own, and makes nobody wait for that of another again', async () => {
    const { ask, askTogether } = await boot(platform);
    const first = await askTogether('/cats/file', 3);
    expect(await textsOf(first)).toEqual(new Set(['file 1', 'file 2', 'file 3']));
    gate.opened = deferred();
    const second = [ask('/cats/file'), ask('/cats/file')];
    await expect.poll(() => gate.entered).toBe(5); // both at once
    gate.opened.resolve();
    expect(await textsOf(await Promise.all(second))).toEqual(new Set(['file 4', 'file 5']));
  });

  it('runs the handler for everyone where it answers by itself', async () => {
    const { askTogether } = await boot(platform);
    const texts = await textsOf(await askTogether('/cats/own-answer', 3));
    expect(texts).toEqual(new Set(['own 1', 'own 2', 'own 3']));
  });

  it('leaves event streams alone', async () => {
    const { ask, cache } = await boot(platform);
    const reader = (await ask('/cats/events')).body?.getReader();
    const first = await reader?.read();
    expect(Buffer.from(first?.value ?? []).toString()).toContain('first');
    await reader?.cancel();
    expect(await cache.get('/cats/events')).toBeUndefined();
  });

  it('gives a stale value at once, and runs the handler after that', async () => {
    const { ask, cache } = await boot(platform);
    await cache.set('/cats/stale', { run: 'old' });
    await cache.set('stampede:/cats/stale', { freshUntil: Date.now() - 1, loadedIn: 1 });
    const answer = await ask('/cats/stale');
    expect([answer.headers.get('x-cache'), await answer.json()]).toEqual(['HIT', { run: 'old' }]);
    await gate.reached.promise;
    gate.opened.resolve();
    await expect.poll(() => cache.get('/cats/stale')).toEqual({ run: 1 });
    expect(await (await ask('/cats/stale')).json()).toEqual({ run: 1 });
    expect(gate.entered).toBe(1);
  });

  it('says at the first request what options cannot work', async () => {
    const { ask, log } = await boot(platform);
    expect((await ask('/cats/without-ttl')).status).toBe(500);
    expect((await ask('/cats/elsewhere')).status).toBe(500);
    expect(log.of('error')).toEqual([
      expect.stringMatching(/CatsController\.withoutTtl: `earlyRefresh` and `staleFor` need a ttl/),
      expect.stringMatching(/CatsController\.elsewhere: there is no store called 'billing'/),
    ]);
    expect(gate.entered).toBe(0);
  });

  it('takes the options of a handler, or else those of its class', async () => {
    const { ask } = await boot(platform);
    gate.opened.resolve();
    expect((await ask('/birds/by-class')).status).toBe(500); // there is no such lock store
    expect((await ask('/birds/by-handler')).status).toBe(200);
  });

  it('uses what a subclass says about keys and methods', async () => {
    const { ask } = await boot(platform);
    gate.opened.resolve();
    const bodyFor = async (user: string) => (await ask('/me', { headers: { 'x-user': user } })).json();
    expect(await bodyFor('anna')).toEqual({ run: 1 });
    expect(await bodyFor('ben')).toEqual({ run: 2 });
    expect(await bodyFor('anna')).toEqual({ run: 1 });
  });
});

describe('LockedCacheInterceptor', () => {
  it('works for all handlers of an application', async () => {
    @Controller('dogs')
    class DogsController {
      @Get(':id')
      async find(@Param('id') id: string): Promise<object> {
        return { id, run: await passGate() };
      }
    }
    gate.opened.resolve();
    const { ask } = await bootOn('Express', {
      imports: [CacheModule.register(), LockModule.forRoot({ store: new ControllableStore() })],
      controllers: [DogsController],
      providers: [{ provide: APP_INTERCEPTOR, useClass: LockedCacheInterceptor }],
    });
    const bodies = await Promise.all(['1', '2', '1'].map(async (id) => (await ask(`/dogs/${id}`)).json()));
    expect(bodies[0]).toEqual(bodies[2]);
    expect(gate.entered).toBe(2);
  });

  it('works for messages with a @CacheKey, in an application that also has HTTP', async () => {
    @Injectable()
    class CatsHandler {
      @UseInterceptors(LockedCacheInterceptor)
      @CacheKey('cats')
      async list(): Promise<object> {
        return { run: await passGate() };
      }
    }
    gate.opened.resolve();
    const { app } = await bootOn('Express', {
      imports: [CacheModule.register(), LockModule.forRoot({ store: new ControllableStore() })],
      providers: [CatsHandler, LockedCacheInterceptor],
    });
    const handler = app.get(CatsHandler);
    const list = app
      .get(ExternalContextCreator)
      .create(handler, handler.list, 'list', undefined, undefined, undefined, undefined, undefined, 'rpc');
    expect(await list({}, {})).toEqual({ run: 1 });
    expect(await list({}, {})).toEqual({ run: 1 });
  });
});
