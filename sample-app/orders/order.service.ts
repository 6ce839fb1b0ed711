import { ConflictException, Injectable } from '@nestjs/common';
import { currentLock, DistributedLock } from 'nestjs-distributed-lock';
import { CarrierClient } from './carrier.client.js';
import { changed, type Order } from './order.entity.js';
import { OrderRepository } from './order.repository.js';

@Injectable()
export class OrderService {
  constructor(
    private readonly orders: OrderRepository,
    private readonly carrier: CarrierClient,
  ) {}

  /** One at a time for each order; different orders are shipped side by side. Shipping twice ships once. */
  @DistributedLock({ key: 'order:{id}', ttl: '10s', wait: '5s' })
  async ship(id: string): Promise<Order> {
    const order = await this.charge(id); // locks the same key: enters this lock instead of waiting for it
    if (order.status === 'shipped') return order;
    const { signal, fencingToken } = currentLock();
    await this.carrier.book(id, signal); // stops at once should the lock be lost
    return this.orders.save(changed(order, 'shipped', fencingToken));
  }

  @DistributedLock({ key: 'order:{id}', ttl: '10s', wait: '5s' })
  async charge(id: string): Promise<Order> {
    const order = await this.orders.find(id);
    if (order.status === 'cancelled') throw new ConflictException(`order ${id} was cancelled`);
    if (order.status !== 'open') return order;
    return this.orders.save(changed(order, 'paid', currentLock().fencingToken));
  }

  /** Does not wait for one who is working on the order: `wait: 0`. */
  @DistributedLock({ key: 'order:{id}', wait: 0 })
  async cancel(id: string): Promise<Order> {
    const order = await this.orders.find(id);
    if (order.status === 'shipped') throw new ConflictException(`order ${id} has been shipped`);
    return this.orders.save(changed(order, 'cancelled', currentLock().fencingToken));
  }
}
