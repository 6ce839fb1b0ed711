import { setTimeout as pause } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { currentLock, DistributedLock } from 'nestjs-distributed-lock';
import { changed, type Order } from './order.entity.js';
import { OrderRepository } from './order.repository.js';
import { OrderService } from './order.service.js';

export interface PausedShipment {
  /** What became of the holder that slept. */
  readonly late: string;
  /** What the next holder made of the order. */
  readonly order: Order;
}

/** Shows what a fencing token is for: one holder sleeps past its lease, the next one works, the first awakes. */
@Injectable()
export class PausedShipmentService {
  constructor(
    private readonly orders: OrderRepository,
    private readonly shipping: OrderService,
  ) {}

  async rehearse(): Promise<PausedShipment> {
    const { id } = this.orders.add();
    const [late, order] = await Promise.all([
      this.shipAsleep(id).then(
        () => 'its write was accepted',
        (error: Error) => error.message,
      ),
      this.shipping.ship(id), // waits until the sleeper's lease has ended
    ]);
    return { late, order };
  }

  /** Without renewal the lease ends after its ttl, as it would for a process that has stopped. */
  @DistributedLock({ key: 'order:{id}', ttl: '200ms', renew: false })
  async shipAsleep(id: string): Promise<Order> {
    const order = await this.orders.find(id);
    const { fencingToken } = currentLock();
    await pause(500);
    return this.orders.save(changed(order, 'shipped', fencingToken));
  }
}
