import { Module } from '@nestjs/common';
import { ScheduleModule } from '@nestjs/schedule';
import { LockModule, memoryStore } from 'nestjs-distributed-lock';
import { Jobs } from './jobs.js';
import { OrdersController } from './orders.controller.js';
import { OrdersService } from './orders.service.js';

@Module({
  imports: [ScheduleModule.forRoot(), LockModule.forRoot({ store: memoryStore() })],
  controllers: [OrdersController],
  providers: [OrdersService, Jobs],
})
export class AppModule {}
