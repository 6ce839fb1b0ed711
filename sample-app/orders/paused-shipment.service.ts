import { setTimeout as pause } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { currentLock, DistributedLock } from 'nestjs-distributed-lock';
import { StaleWriteError } from '../database/stale-write.error.js';
import { changed, type Order } from './order.entity.js';
import { OrderRepository } from './order.repository.js';
import { OrderService } from './order.service.js';

export interface PausedShipment {
  /** That of the holder that slept past its lease. */
  readonly lateToken: number;
  /** What the database said to its write. */
  readonly refusal: string;
  /** That of the next holder. */
  readonly token: number;
  /** What the next holder made of it. */
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
    const { id } = await this.orders.add();
    const [refused, order] = await Promise.all([
      this.shipAsleep(id).then(neverAccepted, refusalOf),
      this.shipping.ship(id), // waits until the sleeper's lease has ended
    ]);
    return {
      lateToken: refused.refusedToken,
      refusal: refused.message,
      token: order.fence,
      order,
    };
  }

  /** Without renewal the lease ends after its ttl, as it would for a process that has stopped. */
  @DistributedLock({ key: 'order:{id}', ttl: '400ms', renew: false })
  async shipAsleep(id: string): Promise<Order> {
    const order = await this.orders.find(id);
    const { fencingToken } = currentLock();
    await pause(900);
    return this.orders.save(changed(order, 'shipped', fencingToken));
  }
}

function refusalOf(error: unknown): StaleWriteError {
  if (error instanceof StaleWriteError) return error;
  throw error;
}

function neverAccepted(): never {
  throw new Error('the late write was accepted');
}
