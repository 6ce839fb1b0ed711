import { Injectable } from '@nestjs/common';
import { DistributedLock } from 'nestjs-distributed-lock';
import { StockService } from './stock.service.js';

export interface SaleReport {
  readonly pieces: number;
  readonly buyers: number;
  readonly sold: number;
  readonly oversold: number;
  /** How long it took. */
  readonly milliseconds: number;
}

/** What is on the shelf when a sale begins. */
const PIECES = 100;

/** A flash sale: everybody comes at once. */
@Injectable()
export class SaleService {
  constructor(private readonly stock: StockService) {}

  /** One sale of an item at a time, as each begins by filling the shelf. */
  @DistributedLock({ key: 'sale:{item}', wait: '30s' })
  async hold(item: string, buyers: number, locked: boolean): Promise<SaleReport> {
    await this.open(item);
    const start = performance.now();
    const sold = await this.letIn(item, buyers, locked);
    const milliseconds = Math.round(performance.now() - start);
    return { pieces: PIECES, buyers, sold, oversold: Math.max(0, sold - PIECES), milliseconds };
  }

  async open(item: string): Promise<void> {
    await this.stock.fill(item, PIECES);
  }

  /** How many of the buyers got one. */
  async letIn(item: string, buyers: number, locked: boolean): Promise<number> {
    const buy = () => (locked ? this.stock.sell(item) : this.stock.sellUnlocked(item));
    const gotOne = await Promise.all(Array.from({ length: buyers }, buy));
    return gotOne.filter(Boolean).length;
  }
}
