import { type ArgumentsHost, Catch, type ExceptionFilter, Logger, Optional } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { type Duration, parseDuration } from '../../base/duration.js';
import { LockBusyError, LockLostError, LockUnavailableError } from '../../lock.errors.js';
import { assertKnownOptions } from '../../lock.options.js';

export interface LockExceptionFilterOptions {
  /**
   * After how long a client may try again: what `Retry-After` says, in whole seconds. Where a caller waited longer
   * than this for a busy key, the header says that time instead, as the work takes at least so long. At least 1 s.
   * @default '1s'
   */
  readonly retryAfter?: Duration | undefined;
}

type HttpLockError = LockBusyError | LockUnavailableError | LockLostError;

/** The bodies of answers. They name no key: it may hold what a client should not read, such as the id of another. */
const BODIES = {
  LOCK_BUSY: {
    statusCode: 423, // HttpStatus of older versions of Nest does not have it
    message: 'The resource is locked by another request. Try again later.',
    error: 'Locked',
  },
  LOCK_UNAVAILABLE: {
    statusCode: 503,
    message: 'The service is unavailable at the moment. Try again later.',
    error: 'Service Unavailable',
  },
  LOCK_LOST: {
    statusCode: 409,
    message: 'The request may have overlapped with another one. Check its outcome before trying again.',
    error: 'Conflict',
  },
} as const satisfies Record<HttpLockError['code'], object>;

/**
 * Answers HTTP requests that failed because of a lock: 423 where the key is busy, 503 where the store is down or the
 * application shuts down (both with `Retry-After`), 409 where the lock was lost. Bodies have Nest's shape and tell
 * nothing of keys and holders; 503 and 409 are logged with all that is known. Everything else is left to Nest: also
 * `LockKeyError` and `LockOptionsError`, which are faults of the code and stay a 500.
 *
 * Register it as `{ provide: APP_FILTER, useClass: LockExceptionFilter }`, with `@UseFilters(LockExceptionFilter)`, or
 * as `app.useGlobalFilters(new LockExceptionFilter(app.get(HttpAdapterHost)))`.
 */
@Catch(LockBusyError, LockUnavailableError, LockLostError)
export class LockExceptionFilter implements ExceptionFilter<HttpLockError> {
  readonly #logger = new Logger('LockExceptionFilter');
  /** Milliseconds. */
  readonly #retryAfter: number;

  constructor(
    private readonly adapterHost: HttpAdapterHost,
    @Optional() options: LockExceptionFilterOptions = {},
  ) {
    const site = 'LockExceptionFilter';
    assertKnownOptions(options, ['retryAfter'], site);
    const { retryAfter = '1s' } = options;
    this.#retryAfter = parseDuration(retryAfter, { option: 'retryAfter', min: 1_000, site });
  }

  catch(error: HttpLockError, host: ArgumentsHost): void {
    const type = host.getType<string>();
    if (type !== 'http') {
      // Microservices and GraphQL go on as without a filter, since nothing is returned. A gateway would not.
      if (type === 'ws') this.#logger.error(error.message, error.stack);
      return;
    }
    this.#log(error);
    const { httpAdapter } = this.adapterHost;
    const response: unknown = host.switchToHttp().getResponse();
    if (httpAdapter.isHeadersSent(response)) {
      httpAdapter.end(response);
      return;
    }
    const retryAfter = this.#retryAfterOf(error);
    if (retryAfter !== undefined) httpAdapter.setHeader(response, 'Retry-After', String(retryAfter));
    const body = BODIES[error.code];
    httpAdapter.reply(response, body, body.statusCode);
  }

  /** Whole seconds. After a loss it is not known whether the work was done, so nobody is told to repeat it. */
  #retryAfterOf(error: HttpLockError): number | undefined {
    if (error instanceof LockLostError) return undefined;
    const waited = error instanceof LockBusyError ? error.waited : 0;
    return Math.ceil(Math.max(waited, this.#retryAfter) / 1_000);
  }

  #log(error: HttpLockError): void {
    if (error instanceof LockUnavailableError) this.#logger.error(error.message, error.stack);
    else if (error instanceof LockLostError) this.#logger.warn(error.message);
  }
}
