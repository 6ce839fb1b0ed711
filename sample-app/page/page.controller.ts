import { readFileSync } from 'node:fs';
import { Controller, Get, Header } from '@nestjs/common';
import { instance, keptIn } from '../app.settings.js';
import { LockTableService } from '../locks/lock-table.service.js';
import { ReportRepository } from '../reports/report.repository.js';
import { pageHtml } from './page.html.js';
import { lockRowsHtml, reportRowsHtml } from './tables.html.js';

const HTML = 'text/html; charset=utf-8';
const STYLE = readFileSync(new URL('./shop.css', import.meta.url), 'utf8');
const SCRIPT = readFileSync(new URL('./shop.js', import.meta.url), 'utf8');

@Controller()
export class PageController {
  constructor(
    private readonly locks: LockTableService,
    private readonly reports: ReportRepository,
  ) {}

  @Get()
  @Header('Content-Type', HTML)
  async page(): Promise<string> {
    const [locks, reports] = await Promise.all([this.locks.read(), this.reports.latest()]);
    return pageHtml({ instance, keptIn, locks, reports });
  }

  /** The parts that change by themselves; the script asks for them again and again. */
  @Get('live/locks')
  @Header('Content-Type', HTML)
  async lockRows(): Promise<string> {
    return lockRowsHtml(await this.locks.read()).text;
  }

  @Get('live/reports')
  @Header('Content-Type', HTML)
  async reportRows(): Promise<string> {
    return reportRowsHtml(await this.reports.latest()).text;
  }

  @Get('shop.css')
  @Header('Content-Type', 'text/css; charset=utf-8')
  style(): string {
    return STYLE;
  }

  @Get('shop.js')
  @Header('Content-Type', 'text/javascript; charset=utf-8')
  script(): string {
    return SCRIPT;
  }
}
