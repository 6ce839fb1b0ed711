import { setTimeout as pause } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';

/** Stock in memory, as slow to read and write as a database: others get their turn in between. */
@Injectable()
export class StockRepository {
  readonly #left = new Map<string, number>();

  async read(item: string): Promise<number> {
    await pause(1);
    return this.#left.get(item) ?? 0;
  }

  async write(item: string, left: number): Promise<void> {
    await pause(1);
    this.#left.set(item, left);
  }
}
