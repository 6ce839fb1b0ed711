import { Module } from '@nestjs/common';
import { SaleService } from './sale.service.js';
import { StockController } from './stock.controller.js';
import { StockRepository } from './stock.repository.js';
import { StockService } from './stock.service.js';

@Module({
  controllers: [StockController],
  providers: [StockService, StockRepository, SaleService],
})
export class StockModule {}
