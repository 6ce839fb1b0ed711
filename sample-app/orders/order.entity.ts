export type OrderStatus = 'open' | 'paid' | 'shipped' | 'cancelled';

export interface Order {
  readonly id: string;
  readonly status: OrderStatus;
  /** The fencing token of the last write: a write with a smaller one comes too late. */
  readonly fence: number;
  readonly history: readonly string[];
}

/** The order after a change that was made inside a lock. */
export function changed(order: Order, status: OrderStatus, fence: number): Order {
  return { ...order, status, fence, history: [...order.history, `${status} with token ${fence}`] };
}
