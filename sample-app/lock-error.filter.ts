import { type ArgumentsHost, Catch, HttpException, HttpStatus } from '@nestjs/common';
import { BaseExceptionFilter } from '@nestjs/core';
import { LockBusyError, LockUnavailableError } from 'nestjs-distributed-lock';

/** A lock that cannot be had is no fault of the shop: 423 where the key is busy, 503 where the store is down. */
@Catch(LockBusyError, LockUnavailableError)
export class LockErrorFilter extends BaseExceptionFilter {
  override catch(error: LockBusyError | LockUnavailableError, host: ArgumentsHost): void {
    const busy = error instanceof LockBusyError;
    const statusCode = busy ? HttpStatus.LOCKED : HttpStatus.SERVICE_UNAVAILABLE;
    const message = busy ? 'Somebody else is working on this. Try again soon.' : 'Try again later.';
    const { code, key } = error;
    super.catch(new HttpException({ statusCode, code, key, message }, statusCode, { cause: error }), host);
  }
}
