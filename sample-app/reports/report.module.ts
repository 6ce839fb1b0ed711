import { Module } from '@nestjs/common';
import { ReportController } from './report.controller.js';
import { ReportJob } from './report.job.js';
import { ReportRepository } from './report.repository.js';
import { TickRehearsal } from './tick-rehearsal.service.js';

@Module({
  controllers: [ReportController],
  providers: [ReportJob, ReportRepository, TickRehearsal],
  exports: [ReportRepository],
})
export class ReportModule {}
