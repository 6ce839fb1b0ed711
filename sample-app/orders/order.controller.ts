import { Controller, Get, HttpCode, Param, Post } from '@nestjs/common';
import type { Order } from './order.entity.js';
import { OrderRepository } from './order.repository.js';
import { OrderService } from './order.service.js';
import { type PausedShipment, PausedShipmentService } from './paused-shipment.service.js';

@Controller('orders')
export class OrderController {
  constructor(
    private readonly orders: OrderRepository,
    private readonly service: OrderService,
    private readonly pausedShipment: PausedShipmentService,
  ) {}

  @Post()
  add(): Promise<Order> {
    return this.orders.add();
  }

  @Get(':id')
  find(@Param('id') id: string): Promise<Order> {
    return this.orders.find(id);
  }

  @Post('paused-shipment')
  @HttpCode(200)
  rehearse(): Promise<PausedShipment> {
    return this.pausedShipment.rehearse();
  }

  @Post(':id/ship')
  @HttpCode(200)
  ship(@Param('id') id: string): Promise<Order> {
    return this.service.ship(id);
  }

  @Post(':id/cancel')
  @HttpCode(200)
  cancel(@Param('id') id: string): Promise<Order> {
    return this.service.cancel(id);
  }
}
