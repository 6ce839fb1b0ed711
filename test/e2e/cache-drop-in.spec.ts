import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { CacheInterceptor, CacheKey, CacheModule, CacheTTL } from '@nestjs/cache-manager';
import {
  Controller,
  type ExecutionContext,
  Get,
  Header,
  HttpCode,
  NotFoundException,
  Param,
  Post,
  Query,
  Res,
  StreamableFile,
  type Type,
  UseInterceptors,
} from '@nestjs/common';
import { from, type Observable, of } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { LockModule, memoryStore } from '../../lib/index.js';
import { LockedCacheInterceptor } from '../../lib/integrations/cache/index.js';
import { bootOn, PLATFORMS, type Platform } from '../support/http-platforms.js';

/** Every answer has a number of its own, so that it shows which were cached. */
function controllerWith(interceptor: Type<CacheInterceptor>) {
  let runs = 0;
  const next = () => {
    runs += 1;
    return runs;
  };

  @Controller('cats')
  @UseInterceptors(interceptor)
  class CatsController {
    @Get('list')
    list(@Query('page') page?: string): object {
      return { page, run: next() };
    }

    @Get('later')
    async later(): Promise<string> {
      return `run ${next()}`;
    }

    @Post('list')
    create(): object {
      return { run: next() };
    }

    @Get('keyed/:id')
    @CacheKey('cats')
    keyed(@Param('id') id: string): object {
      return { id, run: next() };
    }

    @Post('computed/:id')
    @CacheKey((context: ExecutionContext) => `cat:${context.getArgByIndex<Asked>(0).params.id.length}`)
    @CacheTTL(async () => 60_000)
    computed(@Param('id') id: string): object {
      return { id, run: next() };
    }

    @Get('brief')
    @CacheTTL(1)
    brief(): object {
      return { run: next() };
    }

    @Get('for-ever')
    @CacheTTL(0)
    forEver(): object {
      return { run: next() };
    }

    @Get('failing-ttl')
    @CacheTTL(() => {
      throw new Error('no ttl');
    })
    failingTtl(): object {
      return { run: next() };
    }

    @Get('missing')
    missing(): never {
      throw new NotFoundException(`run ${next()}`);
    }

    @Get('value/:kind')
    value(@Param('kind') kind: string): unknown {
      next();
      return { zero: 0, empty: '', no: false, null: null, nothing: undefined, list: [] }[kind];
    }

    @Post('runs')
    runs(): object {
      return { runs };
    }

    @Get('dressed')
    @HttpCode(202)
    @Header('x-cats', 'many')
    dressed(): object {
      return { run: next() };
    }

    @Get('stream')
    stream(): Observable<object> {
      return of({ run: next() });
    }

    @Get('several')
    several(): Observable<number> {
      return from([next(), next()]);
    }

    @Get('file')
    file(): StreamableFile {
      return new StreamableFile(Readable.from([`file ${next()}`]), { type: 'text/plain' });
    }

    @Get('own-answer')
    ownAnswer(@Res() response: { send(text: string): void }): void {
      response.send(`own ${next()}`);
    }
  }
  return CatsController;
}

interface Asked {
  readonly params: { readonly id: string };
}

const TWICE = [
  ...['list', 'list?page=2', 'POST list', 'later', 'keyed/1', 'brief', 'for-ever', 'failing-ttl', 'missing'],
  ...['zero', 'empty', 'no', 'null', 'nothing', 'list'].map((kind) => `value/${kind}`),
  ...['dressed', 'stream', 'several', 'file', 'own-answer'],
];
const REQUESTS = [
  ...TWICE.flatMap((request) => [request, request, 'POST runs']),
  ...['keyed/2', 'POST computed/a', 'POST computed/b', 'POST computed/ab'],
];

/** What came of each request, one after another. */
async function answersOf(interceptor: Type<CacheInterceptor>, platform: Platform) {
  const { ask } = await bootOn(platform, {
    imports: [CacheModule.register(), LockModule.forRoot({ store: memoryStore() })],
    controllers: [controllerWith(interceptor)],
  });
  const answers: { request: string; status: number; headers: (string | null)[]; body: string }[] = [];
  for (const request of REQUESTS) {
    const [path = '', method = 'GET'] = request.split(' ').reverse();
    const answer = await ask(`/cats/${path}`, { method });
    const header = (name: string) => answer.headers.get(name);
    answers.push({
      request,
      status: answer.status,
      headers: ['x-cache', 'x-cats', 'content-type'].map(header),
      body: await answer.text(),
    });
    if (path === 'brief') await sleep(5); // longer than it is kept
  }
  return answers;
}

describe.each(PLATFORMS)('LockedCacheInterceptor on %s', (platform) => {
  it("answers one request after another as Nest's CacheInterceptor does", async () => {
    const ours = await answersOf(LockedCacheInterceptor, platform);
    expect(ours).toEqual(await answersOf(CacheInterceptor, platform));
    const hits = ours.filter(({ headers }) => headers[0] === 'HIT').map(({ request }) => request);
    expect(hits).toEqual([
      ...['list', 'list?page=2', 'later', 'keyed/1', 'for-ever'],
      ...['value/zero', 'value/empty', 'value/no', 'value/list', 'dressed', 'stream', 'several'],
      ...['keyed/2', 'POST computed/b'],
    ]);
  });
});
