import { Injectable } from '@nestjs/common';
import { Cron, CronExpression } from '@nestjs/schedule';
import { currentLock, DistributedLock } from 'nestjs-distributed-lock';

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
}
