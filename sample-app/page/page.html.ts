import type { LockTable } from '../locks/lock-table.service.js';
import type { Report } from '../reports/report.entity.js';
import { cardHtml } from './card.html.js';
import { cards } from './cards.html.js';
import { type Html, html } from './html.js';
import { lockRowsHtml, reportRowsHtml } from './tables.html.js';

export interface PageState {
  readonly instance: string;
  readonly keptIn: string;
  readonly locks: LockTable;
  readonly reports: readonly Report[];
}

export function pageHtml({ instance, keptIn, locks, reports }: PageState): string {
  const journal = html`
<div>
  <h3>Latest reports <small>tick (UTC), instance, token</small></h3>
  <ol class="journal" data-live="reports">${reportRowsHtml(reports)}</ol>
</div>`;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Sample shop</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/shop.css">
<script src="/shop.js" defer></script>
</head>
<body>
<header>
  <h1>Sample shop</h1>
  <p>To try out what <code>nestjs-distributed-lock</code> does.
  This instance is <b>${instance}</b>. Its locks, data and cache are kept in <b>${keptIn}</b>.</p>
  <noscript><p class="error">The buttons need JavaScript. Without it, use the commands that the shop printed.</p></noscript>
</header>
<main>
${cards(journal).map(cardHtml)}
${tableHtml(locks)}
</main>
</body>
</html>
`.text;
}

function tableHtml(locks: LockTable): Html {
  return html`
<section class="card wide" aria-labelledby="locks">
  <h2 id="locks">Locks right now <span class="pulse" data-pulse>live</span></h2>
  <table>
    <thead><tr><th>key</th><th>holder</th><th>held for</th><th>ttl left</th><th>token</th><th>waiting</th></tr></thead>
    <tbody data-live="locks">${lockRowsHtml(locks)}</tbody>
  </table>
</section>`;
}
