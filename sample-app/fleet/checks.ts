import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { RushReport } from '../catalog/rush.service.js';
import type { Receipt } from '../payments/payment.service.js';
import type { Report } from '../reports/report.entity.js';
import { tickAfter } from '../reports/ticks.js';
import type { ShopClient } from './shop.client.js';

type Shops = readonly ShopClient[];

const BUYERS = 500;
const REQUESTS = 200;
export const TICKS = 3;
/** After the last tick, in milliseconds: its report takes half a second. */
const TIME_TO_REPORT = 2_500;

/** How many lamps were sold: the shelf is filled once, and each shop lets its share of the buyers in. */
export async function sale(shops: Shops, locked: boolean): Promise<number> {
  const item = `lamp-${locked}`;
  await shops[0]?.post(`/sales/${item}/opening`);
  const sales = await eachWithItsShare(shops, BUYERS, (shop, buyers) =>
    shop.post<{ sold: number }>(`/sales/${item}/buyers?buyers=${buyers}&locked=${locked}`),
  );
  return sum(sales.map(({ sold }) => sold));
}

/** How often the supplier was asked, when all shops are asked for one product at once. */
export async function catalog(shops: Shops, locked: boolean): Promise<number> {
  const rushes = await eachWithItsShare(shops, REQUESTS, (shop, requests) =>
    shop.post<RushReport>(`/catalog/lamp-${locked}/rush?requests=${requests}&locked=${locked}`),
  );
  return Math.max(...rushes.map(({ loads }) => loads));
}

/** How often the customer was charged, when one payment reaches every shop. */
export async function payment(shops: Shops, locked: boolean): Promise<number> {
  const headers = { 'Idempotency-Key': randomUUID() };
  const receipts = await Promise.all(
    shops.map((shop) => shop.post<Receipt>(`/payments?locked=${locked}`, headers)),
  );
  return new Set(receipts.map(({ charge }) => charge)).size;
}

/** At how many of the next ticks all shops together wrote exactly one report. */
export async function reports(shops: Shops): Promise<number> {
  const ticks: number[] = [];
  for (let tick = Date.now(); ticks.length < TICKS; ticks.push(tick)) tick = tickAfter(tick);
  await pause(Math.max(...ticks) + TIME_TO_REPORT - Date.now());
  const latest = (await shops[0]?.get<readonly Report[]>('/reports')) ?? [];
  const reportsOf = (time: number) => latest.filter(({ tick }) => Date.parse(tick) === time);
  return ticks.filter((tick) => reportsOf(tick).length === 1).length;
}

function eachWithItsShare<R>(
  shops: Shops,
  all: number,
  ask: (shop: ShopClient, share: number) => Promise<R>,
): Promise<R[]> {
  const share = Math.floor(all / shops.length);
  return Promise.all(
    shops.map((shop, index) => ask(shop, index === 0 ? all - share * (shops.length - 1) : share)),
  );
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
