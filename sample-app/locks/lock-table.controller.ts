import { Controller, Get } from '@nestjs/common';
import { type LockTable, LockTableService } from './lock-table.service.js';

@Controller('locks')
export class LockTableController {
  constructor(private readonly table: LockTableService) {}

  @Get()
  read(): Promise<LockTable> {
    return this.table.read();
  }
}
