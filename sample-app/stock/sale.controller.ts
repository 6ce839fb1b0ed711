import { Controller, HttpCode, Param, Post, Query } from '@nestjs/common';
import { Locked } from '../query/locked.param.js';
import { NumberBetween } from '../query/number-between.pipe.js';
import { type SaleReport, SaleService } from './sale.service.js';

const Buyers = () => Query('buyers', new NumberBetween(1, 1_000, 500));

@Controller('sales')
export class SaleController {
  constructor(private readonly sales: SaleService) {}

  /** A whole sale in this instance. */
  @Post(':item')
  @HttpCode(200)
  hold(
    @Param('item') item: string,
    @Buyers() buyers: number,
    @Locked() locked: boolean,
  ): Promise<SaleReport> {
    return this.sales.hold(item, buyers, locked);
  }

  /** A sale over several instances: the shelf is filled once, then each instance lets its buyers in. */
  @Post(':item/opening')
  @HttpCode(204)
  open(@Param('item') item: string): Promise<void> {
    return this.sales.open(item);
  }

  @Post(':item/buyers')
  @HttpCode(200)
  async letIn(
    @Param('item') item: string,
    @Buyers() buyers: number,
    @Locked() locked: boolean,
  ): Promise<{ sold: number }> {
    return { sold: await this.sales.letIn(item, buyers, locked) };
  }
}
