import { Module } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { ScheduleModule } from '@nestjs/schedule';
import { LockModule } from 'nestjs-distributed-lock';
import { LockExceptionFilter } from 'nestjs-distributed-lock/http';
import { store } from './app.store.js';
import { CatalogModule } from './catalog/catalog.module.js';
import { DatabaseModule } from './database/database.module.js';
import { LockLog } from './lock-log.observer.js';
import { OrderModule } from './orders/order.module.js';
import { PageModule } from './page/page.module.js';
import { PaymentModule } from './payments/payment.module.js';
import { ReportModule } from './reports/report.module.js';
import { StockModule } from './stock/stock.module.js';

@Module({
  imports: [
    LockModule.forRoot({ store, observers: [new LockLog()] }),
    ScheduleModule.forRoot(),
    DatabaseModule,
    OrderModule,
    StockModule,
    PaymentModule,
    ReportModule,
    CatalogModule,
    PageModule,
  ],
  providers: [{ provide: APP_FILTER, useClass: LockExceptionFilter }],
})
export class AppModule {}
