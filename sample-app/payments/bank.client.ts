import { setTimeout as pause } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Database } from '../database/database.js';

/** Stands for a bank that does not know a repeated request from a new one. */
@Injectable()
export class BankClient {
  constructor(private readonly database: Database) {}

  /** Takes the money, and gives the number of the charge. */
  async charge(_amount: number): Promise<number> {
    await pause(300);
    return this.database.increment('charges');
  }
}
