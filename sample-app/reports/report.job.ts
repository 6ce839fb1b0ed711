import { setTimeout as pause } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { currentLock } from 'nestjs-distributed-lock';
import { LockedCron } from 'nestjs-distributed-lock/schedule';
import { instance } from '../app.settings.js';
import { ReportRepository } from './report.repository.js';
import { tickAt } from './ticks.js';

@Injectable()
export class ReportJob {
  constructor(private readonly reports: ReportRepository) {}

  /**
   * Every instance comes at every tick, and one of them writes the report. A tick stays taken for 3 s, because all
   * instances of the sample have one machine's clock. Where they do not, leave `minHold` at its default.
   */
  @LockedCron('*/5 * * * * *', { key: 'report', minHold: '3s' })
  async write(): Promise<void> {
    const { signal, fencingToken } = currentLock();
    const tick = tickAt(Date.now());
    await pause(500, undefined, { signal }); // stands for all the sums
    await this.reports.add({ tick: new Date(tick).toISOString(), instance, token: fencingToken });
  }
}
