import { Injectable } from '@nestjs/common';
import { DistributedLock } from 'nestjs-distributed-lock';
import { StockRepository } from './stock.repository.js';

@Injectable()
export class StockService {
  constructor(private readonly stock: StockRepository) {}

  /** `true` if the buyer got one. The key is the item: other items are sold at the same time. */
  @DistributedLock({ key: 'stock:{item}', wait: '30s' })
  async sell(item: string): Promise<boolean> {
    return this.sellUnlocked(item);
  }

  /** The same without the lock: all who read before the first has written sell the same piece. */
  async sellUnlocked(item: string): Promise<boolean> {
    const left = await this.stock.read(item);
    if (left === 0) return false;
    await this.stock.write(item, left - 1);
    return true;
  }
}
