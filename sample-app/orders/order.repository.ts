import { Injectable, NotFoundException } from '@nestjs/common';
import { Database } from '../database/database.js';
import type { Order } from './order.entity.js';

@Injectable()
export class OrderRepository {
  constructor(private readonly database: Database) {}

  async add(): Promise<Order> {
    const id = String(await this.database.increment('orders'));
    const order: Order = { id, status: 'open', fence: 0, history: [] };
    await this.database.write(rowOf(id), order);
    return order;
  }

  async find(id: string): Promise<Order> {
    const order = await this.database.read<Order>(rowOf(id));
    if (!order) throw new NotFoundException(`there is no order ${id}`);
    return order;
  }

  /** Rejects with a `StaleWriteError` if one who held the lock later has written before. */
  async save(order: Order): Promise<Order> {
    await this.database.writeFenced(rowOf(order.id), order, order.fence);
    return order;
  }
}

function rowOf(id: string): string {
  return `order:${id}`;
}
