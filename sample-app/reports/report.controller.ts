import { Controller, Get, HttpCode, Post } from '@nestjs/common';
import type { Report } from './report.entity.js';
import { ReportRepository } from './report.repository.js';
import { type TickOutcome, TickRehearsal } from './tick-rehearsal.service.js';

@Controller('reports')
export class ReportController {
  constructor(
    private readonly reports: ReportRepository,
    private readonly rehearsal: TickRehearsal,
  ) {}

  @Get()
  latest(): Promise<readonly Report[]> {
    return this.reports.latest();
  }

  /** Takes until the next tick. */
  @Post('next-tick')
  @HttpCode(200)
  rehearse(): Promise<TickOutcome> {
    return this.rehearsal.rehearse();
  }
}
