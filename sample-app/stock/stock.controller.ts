import {
  BadRequestException,
  Controller,
  DefaultValuePipe,
  HttpCode,
  Param,
  ParseBoolPipe,
  ParseIntPipe,
  Post,
  Query,
} from '@nestjs/common';
import { type SaleReport, SaleService } from './sale.service.js';

const MOST_BUYERS = 1_000;

@Controller('stock')
export class StockController {
  constructor(private readonly sale: SaleService) {}

  @Post(':item/sale')
  @HttpCode(200)
  async sell(
    @Param('item') item: string,
    @Query('buyers', new DefaultValuePipe(50), ParseIntPipe) buyers: number,
    @Query('locked', new DefaultValuePipe(true), ParseBoolPipe) locked: boolean,
  ): Promise<SaleReport> {
    if (buyers < 1 || buyers > MOST_BUYERS) {
      throw new BadRequestException(`buyers has to be from 1 to ${MOST_BUYERS}`);
    }
    return this.sale.hold(item, buyers, locked);
  }
}
