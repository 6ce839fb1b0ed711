import { once } from 'node:events';
import { catalog, payment, reports, sale, TICKS } from './checks.js';
import { Fleet } from './fleet.js';
import { isKept, type Outcome, tableOf } from './outcome.js';

/** How many shops there are. */
const SHOPS = 3;

const stays = process.stdin.isTTY || process.argv.includes('--stay');
const toldToStop = Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
const fleet = new Fleet();
try {
  process.exitCode = 1; // unless all was as promised
  await Promise.race([show(), toldToStop]);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
} finally {
  await fleet.stop();
}
process.exit();

async function show(): Promise<void> {
  console.log(`Starting Redis and ${SHOPS} shops …`);
  const redisUrl = await fleet.startRedis();
  await Promise.all(Array.from({ length: SHOPS }, () => fleet.startShop(redisUrl)));
  console.log(`They are open: ${fleet.shops.map(({ url }) => url).join(' ')}`);
  const outcomes = await tryAll();
  console.log(`\n${tableOf(outcomes)}\n`);
  const kept = outcomes.every(isKept);
  console.log(kept ? 'All as promised.' : 'NOT as promised.');
  if (kept) process.exitCode = 0;
  if (!stays) return;
  console.log('The shops stay open until Ctrl+C.');
  await toldToStop;
}

async function tryAll(): Promise<readonly Outcome[]> {
  const { shops } = fleet;
  console.log(
    `A flash sale, a rush on the catalog and a payment; and meanwhile ${TICKS} ticks of the report …`,
  );
  const watched = reports(shops);
  watched.catch(() => {}); // told when it is awaited
  const both = async (what: string, promised: number, check: typeof sale): Promise<Outcome> => ({
    what,
    promised,
    locked: await check(shops, true),
    unlocked: await check(shops, false),
  });
  return [
    await both('flash sale: sold, of 100 to 500 buyers', 100, sale),
    await both('catalog: loads, for 200 requests', 1, catalog),
    await both('payment: charges, sent to every shop', 1, payment),
    { what: `reports: ticks with exactly one, of ${TICKS}`, promised: TICKS, locked: await watched },
  ];
}
