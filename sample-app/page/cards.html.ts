import type { Card } from './card.html.js';
import { type Html, html } from './html.js';

export function cards(reports: Html): readonly Card[] {
  return [
    {
      name: 'sale',
      title: 'Flash sale',
      text: '500 buyers come at once for 100 lamps. Each sale reads what is left, and writes one less.',
      code: "@DistributedLock({ key: 'stock:{item}' })",
      buttons: ['With the lock', 'Without it'],
      fields: { sold: 'sold', oversold: 'oversold', milliseconds: 'ms' },
      chart: {
        field: 'sold',
        judged: 'oversold',
        mark: 100,
        marked: '100 in stock',
        end: 500,
        ends: '500 buyers',
      },
    },
    {
      name: 'reports',
      title: 'Scheduled report',
      text: 'Every instance comes at every tick. The button sends three to the next one, 5 s away at most.',
      code: "@LockedCron('*/5 * * * * *')",
      buttons: ['Send three to the next tick'],
      fields: { calls: 'came', reports: 'reports' },
      chart: { field: 'reports', mark: 1, marked: '1 report', end: 3, ends: '3 instances' },
      more: reports,
    },
    {
      name: 'catalog',
      title: 'Cached catalog',
      text: '200 requests ask for a product that nobody has in the cache. The supplier takes 800 ms for each load.',
      code: '@UseInterceptors(LockedCacheInterceptor)',
      buttons: ['With the lock', 'Without it'],
      fields: { requests: 'requests', loads: 'loads', milliseconds: 'ms' },
      chart: { field: 'loads', mark: 1, marked: '1 load', end: 200, ends: '200 requests' },
    },
    {
      name: 'payment',
      title: 'Double click',
      text: 'The same payment is sent twice at once, with one idempotency key. The second gets the receipt of the first.',
      code: "@DistributedLock({ key: 'payment:{0.idempotencyKey}' })",
      buttons: ['With the lock', 'Without it'],
      fields: { clicks: 'clicks', charges: 'charges' },
      chart: { field: 'charges', mark: 1, marked: '1 charge', end: 2, ends: '2 clicks' },
    },
    {
      name: 'fencing',
      title: 'A holder that sleeps',
      text: 'One who ships an order sleeps past the lease, and another takes over. When the first one awakes, the database refuses its write, because its fencing token is smaller.',
      code: 'database.writeFenced(row, order, currentLock().fencingToken)',
      buttons: ['Let a holder sleep'],
      fields: {
        lateToken: 'its token: refused',
        token: 'next token: written',
        refusal: 'what the database said',
      },
      more: html`
<div class="timeline" aria-hidden="true">
  <span>First holder: its lease, asleep, refused</span><i class="sleeper"></i>
  <span>Next holder: takes over, writes</span><i class="next"></i>
</div>`,
    },
  ];
}
