import { ConflictException } from '@nestjs/common';
import type { Order } from './order.entity.js';

/** The writer held the lock once, but another has held it since. */
export class StaleWriteError extends ConflictException {
  constructor(refused: Order, stored: Order) {
    super(
      `order ${stored.id} was not marked as ${refused.status}: token ${refused.fence} is older than ${stored.fence}`,
    );
  }
}
