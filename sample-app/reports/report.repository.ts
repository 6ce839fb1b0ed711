import { Injectable } from '@nestjs/common';
import { Database } from '../database/database.js';
import type { Report } from './report.entity.js';

const ROW = 'reports';
const KEPT = 20;

@Injectable()
export class ReportRepository {
  constructor(private readonly database: Database) {}

  /** The latest ones, newest first. */
  async latest(): Promise<readonly Report[]> {
    return (await this.database.read<readonly Report[]>(ROW)) ?? [];
  }

  /** Reads all and writes all, so that the caller has to hold the lock of the token. */
  async add(report: Report): Promise<void> {
    const reports = [report, ...(await this.latest())].slice(0, KEPT);
    await this.database.writeFenced(ROW, reports, report.token);
  }
}
