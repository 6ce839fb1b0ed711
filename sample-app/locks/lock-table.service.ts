import { Injectable } from '@nestjs/common';
import { LockService } from 'nestjs-distributed-lock';
import { type LockRow, rowsOf } from './lock-row.js';

export interface LockTable {
  /** Those that were taken last come first. */
  readonly rows: readonly LockRow[];
  /** How many more there are. */
  readonly more: number;
}

const MOST_ROWS = 10;

@Injectable()
export class LockTableService {
  constructor(private readonly locks: LockService) {}

  async read(): Promise<LockTable> {
    const rows: LockRow[] = [];
    for await (const state of this.locks.list()) rows.push(...rowsOf(state));
    rows.sort((a, b) => (a.heldFor ?? 0) - (b.heldFor ?? 0));
    return { rows: rows.slice(0, MOST_ROWS), more: Math.max(0, rows.length - MOST_ROWS) };
  }
}
