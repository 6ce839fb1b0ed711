import { Module } from '@nestjs/common';
import { SaleController } from './sale.controller.js';
import { SaleService } from './sale.service.js';
import { StockService } from './stock.service.js';

@Module({ controllers: [SaleController], providers: [StockService, SaleService] })
export class StockModule {}
