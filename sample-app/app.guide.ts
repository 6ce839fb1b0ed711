import { keptIn, port, redisUrl } from './app.settings.js';

/** What to try, for one who has just started the shop. */
export function guideTo(url: string): string {
  return `
The shop is open: ${url}
Everything is kept in ${keptIn}.

Without a browser:
  curl -X POST ${url}/sales/lamp                # 500 buyers, 100 lamps; also with ?locked=false
  curl -X POST ${url}/catalog/lamp/rush         # 200 requests, one load
  curl -X POST ${url}/orders                    # opens an order: number 1 in a new shop
  curl -X POST ${url}/orders/1/ship & sleep 0.5; curl -X POST ${url}/orders/1/cancel; wait    # 423: being shipped
  curl -X POST ${url}/orders/paused-shipment    # the write of a holder that slept is refused
  curl ${url}/reports                           # one every 5 s

${moreShops()}
Stop with Ctrl+C.
`;
}

function moreShops(): string {
  if (!redisUrl) return 'Three shops that share it all, on a Redis of their own: npm run sample:fleet';
  return `A second shop that shares it all: the same command with PORT=${port + 1}`;
}
