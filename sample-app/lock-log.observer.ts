import { Logger } from '@nestjs/common';
import type { LockBusyEvent, LockLostEvent, LockObserver } from 'nestjs-distributed-lock';

/** Logs what an operator should know of. */
export class LockLog implements LockObserver {
  readonly #logger = new Logger('Locks');

  onBusy({ key, site, waited }: LockBusyEvent): void {
    if (waited < 1_000) return; // a tick that another instance took is no news
    this.#logger.warn(`${key} was busy for ${site} (waited ${Math.round(waited)} ms)`);
  }

  onLost({ key, site, reason }: LockLostEvent): void {
    this.#logger.warn(`${key} was lost by ${site} (${reason})`);
  }
}
