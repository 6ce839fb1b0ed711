import { Module } from '@nestjs/common';
import { CarrierClient } from './carrier.client.js';
import { OrderController } from './order.controller.js';
import { OrderRepository } from './order.repository.js';
import { OrderService } from './order.service.js';
import { PausedShipmentService } from './paused-shipment.service.js';

@Module({
  controllers: [OrderController],
  providers: [OrderRepository, OrderService, CarrierClient, PausedShipmentService],
})
export class OrderModule {}
