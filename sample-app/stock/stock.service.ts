import { Injectable } from '@nestjs/common';
import { currentLock, DistributedLock } from 'nestjs-distributed-lock';
import { Database } from '../database/database.js';

@Injectable()
export class StockService {
  constructor(private readonly database: Database) {}

  @DistributedLock({ key: 'stock:{item}', wait: '30s' })
  async fill(item: string, pieces: number): Promise<void> {
    await this.database.writeFenced(rowOf(item), pieces, currentLock().fencingToken);
  }

  /** `true` if the buyer got one. The key is the item: other items are sold at the same time. */
  @DistributedLock({ key: 'stock:{item}', wait: '30s' })
  async sell(item: string): Promise<boolean> {
    const left = await this.#left(item);
    if (left === 0) return false;
    await this.database.writeFenced(rowOf(item), left - 1, currentLock().fencingToken);
    return true;
  }

  /** The same without the lock: all who read before the first has written sell the same piece. */
  async sellUnlocked(item: string): Promise<boolean> {
    const left = await this.#left(item);
    if (left === 0) return false;
    await this.database.write(rowOf(item), left - 1);
    return true;
  }

  async #left(item: string): Promise<number> {
    return (await this.database.read<number>(rowOf(item))) ?? 0;
  }
}

function rowOf(item: string): string {
  return `stock:${item}`;
}
