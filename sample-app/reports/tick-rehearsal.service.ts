import { setTimeout as pause } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { ReportJob } from './report.job.js';
import { ReportRepository } from './report.repository.js';
import { tickAfter } from './ticks.js';

export interface TickOutcome {
  readonly tick: string;
  /** How often the job was called for this tick. */
  readonly calls: number;
  /** How many reports there are of this tick. */
  readonly reports: number;
}

/** Shows in one process what happens at a tick when three instances come. */
@Injectable()
export class TickRehearsal {
  constructor(
    private readonly job: ReportJob,
    private readonly reports: ReportRepository,
  ) {}

  async rehearse(): Promise<TickOutcome> {
    const time = tickAfter(Date.now());
    await pause(time - Date.now());
    // The scheduler calls the job too, so that these are three.
    await Promise.all([this.job.write(), this.job.write()]);
    await pause(1_500); // it may be the scheduler's call that writes
    const tick = new Date(time).toISOString();
    const reports = (await this.reports.latest()).filter((report) => report.tick === tick).length;
    return { tick, calls: 3, reports };
  }
}
