import { Injectable } from '@nestjs/common';
import { Cron, CronExpression } from '@nestjs/schedule';
import { currentLock, DistributedLock } from 'nestjs-distributed-lock';
import { LockedCron, LockedInterval } from 'nestjs-distributed-lock/schedule';

@Injectable()
export class Jobs {
  /** The keys that jobs have run under. */
  readonly keys = new Set<string>();

  @Cron(CronExpression.EVERY_SECOND, { name: 'above' })
  @DistributedLock()
  async above(): Promise<void> {
    this.keys.add(currentLock().key);
  }

  @DistributedLock()
  @Cron(CronExpression.EVERY_SECOND, { name: 'below' })
  async below(): Promise<void> {
    this.keys.add(currentLock().key);
  }

  @LockedCron(CronExpression.EVERY_SECOND, { name: 'cron', timeZone: 'Europe/Berlin' })
  async cron(): Promise<void> {
    this.keys.add(currentLock().key);
  }

  @LockedInterval('100ms')
  async interval(): Promise<void> {
    this.keys.add(currentLock().key);
  }
}
