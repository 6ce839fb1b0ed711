import { ConflictException } from '@nestjs/common';

/** The writer held the lock once, but another has held it since, and has written. */
export class StaleWriteError extends ConflictException {
  constructor(
    readonly key: string,
    readonly refusedToken: number,
    readonly lastToken: number,
  ) {
    super(`${key} was not written: token ${refusedToken} is older than ${lastToken}`);
  }
}
