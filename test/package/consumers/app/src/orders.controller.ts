import { Controller, Header, HttpCode, Param, ParseIntPipe, Post, Query, UseGuards } from '@nestjs/common';
import { currentLock, DistributedLock } from 'nestjs-distributed-lock';
import { Meter } from './meter.js';
import { OrdersService } from './orders.service.js';
import { Role, RoleGuard } from './role.guard.js';

@Controller('orders')
export class OrdersController {
  readonly meter = new Meter();

  constructor(private readonly orders: OrdersService) {}

  @Post(':id/above')
  @HttpCode(202)
  @Header('x-answer', 'yes')
  @Role('clerk')
  @UseGuards(RoleGuard)
  @DistributedLock({ key: 'above:{id}' })
  async above(@Param('id', ParseIntPipe) id: number, @Query('note') note: string) {
    return this.#answer(id, note);
  }

  @DistributedLock({ key: 'below:{id}' })
  @Post(':id/below')
  @HttpCode(202)
  @Header('x-answer', 'yes')
  @Role('clerk')
  @UseGuards(RoleGuard)
  async below(@Param('id', ParseIntPipe) id: number, @Query('note') note: string) {
    return this.#answer(id, note);
  }

  async #answer(id: number, note: string) {
    await this.meter.pass();
    return { key: currentLock().key, id, note, shipped: await this.orders.ship(`${id}`) };
  }
}
