import { Injectable } from '@nestjs/common';
import { DistributedLock } from 'nestjs-distributed-lock';
import { StockRepository } from './stock.repository.js';
import { StockService } from './stock.service.js';

export interface SaleReport {
  readonly item: string;
  readonly inStock: number;
  readonly buyers: number;
  readonly sold: number;
  readonly oversold: number;
}

const IN_STOCK = 10;

/** A flash sale: everybody comes at once. */
@Injectable()
export class SaleService {
  constructor(
    private readonly stock: StockService,
    private readonly shelf: StockRepository,
  ) {}

  /** One sale of an item at a time, as each begins by filling the shelf. */
  @DistributedLock({ key: 'sale:{item}', wait: '30s' })
  async hold(item: string, buyers: number, locked: boolean): Promise<SaleReport> {
    await this.shelf.write(item, IN_STOCK);
    const buy = () => (locked ? this.stock.sell(item) : this.stock.sellUnlocked(item));
    const gotOne = await Promise.all(Array.from({ length: buyers }, buy));
    const sold = gotOne.filter(Boolean).length;
    return { item, inStock: IN_STOCK, buyers, sold, oversold: Math.max(0, sold - IN_STOCK) };
  }
}
