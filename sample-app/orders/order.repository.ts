import { Injectable, NotFoundException } from '@nestjs/common';
import type { Order } from './order.entity.js';
import { StaleWriteError } from './stale-write.error.js';

/** Orders in memory, written as a database would write them. */
@Injectable()
export class OrderRepository {
  readonly #orders = new Map<string, Order>();

  constructor() {
    for (let count = 0; count < 3; count += 1) this.add();
  }

  add(): Order {
    const order: Order = { id: String(this.#orders.size + 1), status: 'open', fence: 0, history: [] };
    this.#orders.set(order.id, order);
    return order;
  }

  all(): readonly Order[] {
    return [...this.#orders.values()];
  }

  async find(id: string): Promise<Order> {
    const order = this.#orders.get(id);
    if (!order) throw new NotFoundException(`there is no order ${id}`);
    return order;
  }

  /**
   * Refuses a token smaller than the last one seen. An equal one is the same holder, writing again. In SQL:
   * `UPDATE orders SET status = $2, fence = $3 WHERE id = $1 AND fence <= $3`, which has to change one row.
   */
  async save(order: Order): Promise<Order> {
    const stored = await this.find(order.id);
    if (order.fence < stored.fence) throw new StaleWriteError(order, stored);
    this.#orders.set(order.id, order);
    return order;
  }
}
