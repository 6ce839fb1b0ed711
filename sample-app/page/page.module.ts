import { Module } from '@nestjs/common';
import { LockTableController } from '../locks/lock-table.controller.js';
import { LockTableService } from '../locks/lock-table.service.js';
import { ReportModule } from '../reports/report.module.js';
import { PageController } from './page.controller.js';

@Module({
  imports: [ReportModule],
  controllers: [PageController, LockTableController],
  providers: [LockTableService],
})
export class PageModule {}
