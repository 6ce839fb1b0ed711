/** What to try, for one who has just started the shop. */
export function guideTo(url: string): string {
  return `
The shop is open: ${url}

Ship an order. It is charged inside the same lock, with the same fencing token:
  curl -X POST ${url}/orders/1/ship

Cancel an order while it is being shipped: 423, the order is locked:
  curl -X POST ${url}/orders/2/ship & sleep 0.3; curl -X POST ${url}/orders/2/cancel; wait

Let a holder sleep past its lease: its late write is refused by the fencing token:
  curl -X POST ${url}/orders/paused-shipment

Sell 10 lamps to 50 buyers at once, with the lock and without it:
  curl -X POST '${url}/stock/lamp/sale?buyers=50'
  curl -X POST '${url}/stock/lamp/sale?buyers=50&locked=false'

Stop with Ctrl+C.
`;
}
