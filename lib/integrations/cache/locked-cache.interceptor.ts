import { CACHE_MANAGER, CACHE_TTL_METADATA, CacheInterceptor } from '@nestjs/cache-manager';
import {
  type CallHandler,
  type ExecutionContext,
  Inject,
  Injectable,
  Logger,
  type OnModuleDestroy,
  StreamableFile,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { lastValueFrom, type Observable, of } from 'rxjs';
import { LockService } from '../../lock.service.js';
import type { StampedeCache } from './cache-values.js';
import { type GuardedCache, guardedCacheOf } from './guarded-cache.js';
import type { Loaded } from './loader.js';
import { LOCKED_CACHE } from './locked-cache.decorator.js';
import { assertTtl, DEFAULT_SETTINGS, type LockedCacheSettings } from './stampede.options.js';

/** Put on a handler by `@Sse()`; Nest exports no name for it. */
const SSE_METADATA = '__sse__';

type TtlMetadata = number | ((context: ExecutionContext) => number | Promise<number>) | null | undefined;

/**
 * A drop-in for Nest's `CacheInterceptor`, with its keys (`@CacheKey`, `trackBy()`), ttls (`@CacheTTL`) and `X-Cache`
 * header: of many requests that find nothing in the cache, one runs the handler, and the others get what it gave. Add
 * `@LockedCache()` for other options than the defaults.
 */
@Injectable()
export class LockedCacheInterceptor extends CacheInterceptor implements OnModuleDestroy {
  readonly #logger = new Logger('LockedCacheInterceptor');
  readonly #locks: LockService;
  readonly #cache: GuardedCache;
  /** Handlers that have given a file. The next file is not for all either, so they are not made to wait for it. */
  readonly #givingFiles = new WeakSet<object>();

  constructor(@Inject(CACHE_MANAGER) cacheManager: StampedeCache, reflector: Reflector, locks: LockService) {
    super(cacheManager, reflector);
    this.#locks = locks;
    this.#cache = guardedCacheOf(cacheManager, locks);
  }

  override async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const key = await this.trackBy(context);
    const handler = context.getHandler();
    if (!key || this.reflector.get<unknown>(SSE_METADATA, handler)) return next.handle(); // events never end
    const settings = this.#settingsOf(context);
    const wanted = { key, load: () => this.#load(context, next, settings), settings };
    this.#tell(context, undefined); // before a handler may answer by itself
    const answer = this.#givingFiles.has(handler)
      ? await this.#cache.getUnguarded(wanted)
      : await this.#cache.get(wanted);
    if (answer.fromCache) this.#tell(context, answer.value);
    return of(answer.value);
  }

  /** The cache is closed at this time: from now on handlers run without it. */
  onModuleDestroy(): void {
    this.#cache.close();
  }

  async #load(context: ExecutionContext, next: CallHandler, settings: LockedCacheSettings): Promise<Loaded> {
    const run = () => lastValueFrom(next.handle(), { defaultValue: undefined });
    let ttl: number | undefined;
    try {
      ttl = await this.#ttlOf(context);
    } catch (error) {
      this.#logger.error(`${siteOf(context)} is not cached, as its @CacheTTL() failed.`, error);
      return { value: await run(), ttl, shareable: false };
    }
    assertTtl(ttl, settings, siteOf(context));
    const value = await run();
    const isFile = value instanceof StreamableFile;
    if (isFile) this.#givingFiles.add(context.getHandler());
    // A file can be read once. And a handler that gave nothing may have answered its own request, with @Res().
    return { value, ttl, shareable: !isFile && value !== undefined && value !== null };
  }

  async #ttlOf(context: ExecutionContext): Promise<number | undefined> {
    const ttl = this.reflector.getAllAndOverride<TtlMetadata>(CACHE_TTL_METADATA, targetsOf(context));
    return (typeof ttl === 'function' ? await ttl(context) : ttl) ?? undefined;
  }

  #settingsOf(context: ExecutionContext): LockedCacheSettings {
    const settings = this.reflector.getAllAndOverride<LockedCacheSettings | undefined>(
      LOCKED_CACHE,
      targetsOf(context),
    );
    if (!settings) return DEFAULT_SETTINGS;
    this.#locks.engine(settings.lockStore, siteOf(context)); // throws where there is no such store
    return settings;
  }

  /** In an application with HTTP, the base class would try it on messages of other kinds too. */
  #tell(context: ExecutionContext, cached: unknown): void {
    if (context.getType() === 'http') this.setHeadersWhenHttp(context, cached);
  }
}

function targetsOf(context: ExecutionContext) {
  return [context.getHandler(), context.getClass()];
}

function siteOf(context: ExecutionContext): string {
  return `${context.getClass().name}.${context.getHandler().name}`;
}
