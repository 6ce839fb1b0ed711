/** What to try, for one who has just started the shop. */
export function guideTo(url: string, redisUrl: string | undefined): string {
  return `
The shop is open: ${url}
Its locks are kept in ${redisUrl ? `Redis: ${withoutPassword(redisUrl)}` : 'the memory of this process.'}

Ship an order. It is charged inside the same lock, with the same fencing token:
  curl -X POST ${url}/orders/1/ship

Cancel an order while it is being shipped: 423, the order is locked:
  curl -X POST ${url}/orders/2/ship & sleep 0.3; curl -X POST ${url}/orders/2/cancel; wait

Let a holder sleep past its lease: its late write is refused by the fencing token:
  curl -X POST ${url}/orders/paused-shipment

Sell 10 lamps to 50 buyers at once, with the lock and without it:
  curl -X POST '${url}/stock/lamp/sale?buyers=50'
  curl -X POST '${url}/stock/lamp/sale?buyers=50&locked=false'

${redisUrl ? twoShops(url, withoutPassword(redisUrl)) : SHARE_LOCKS}

Stop with Ctrl+C.
`;
}

const SHARE_LOCKS = `Let several shops share their locks. They need one Redis:
  REDIS_URL=redis://127.0.0.1:6379 npm start`;

function twoShops(url: string, redisUrl: string): string {
  const here = new URL(url).origin;
  const there = here.replace(/\d+$/, (port) => String(Number(port) + 1));
  return `Open a second shop in another terminal. It has orders and stock of its own, and shares the locks:
  REDIS_URL=${redisUrl} PORT=${new URL(there).port} npm start

Ship an order here. Meanwhile it cannot be cancelled there (423); to be shipped there it waits for its turn, and its
fencing token is larger:
  curl -X POST ${here}/orders/3/ship & sleep 0.3; curl -X POST ${there}/orders/3/cancel; curl -X POST ${there}/orders/3/ship; wait

Stop Redis: now orders cannot be shipped (503). Start it again: they can.`;
}

function withoutPassword(redisUrl: string): string {
  return redisUrl.replace(/:[^:@/]*@/, ':…@');
}
