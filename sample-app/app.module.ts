import { Module } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { LockModule } from 'nestjs-distributed-lock';
import { store } from './app.store.js';
import { LockErrorFilter } from './lock-error.filter.js';
import { LockLog } from './lock-log.observer.js';
import { OrderModule } from './orders/order.module.js';
import { StockModule } from './stock/stock.module.js';

@Module({
  imports: [LockModule.forRoot({ store, observers: [new LockLog()] }), OrderModule, StockModule],
  providers: [{ provide: APP_FILTER, useClass: LockErrorFilter }],
})
export class AppModule {}
