import type { LockRow } from '../locks/lock-row.js';
import type { LockTable } from '../locks/lock-table.service.js';
import type { Report } from '../reports/report.entity.js';
import { type Html, html } from './html.js';

const SHOWN_REPORTS = 4;

export function lockRowsHtml({ rows, more }: LockTable): Html {
  if (rows.length === 0)
    return html`<tr class="empty"><td colspan="6">Nothing is locked right now.</td></tr>`;
  const rest = more > 0 ? html`<tr class="empty"><td colspan="6">and ${more} more</td></tr>` : html``;
  return html`${rows.map(lockRowHtml)}${rest}`;
}

function lockRowHtml({ key, holder, heldFor, expiresIn, token, waiting }: LockRow): Html {
  return html`
<tr data-key="${key}">
  <th scope="row">${key}</th>
  <td data-label="holder">${short(holder)}</td>
  <td data-label="held for">${heldFor === null ? '–' : seconds(heldFor)}</td>
  <td data-label="ttl left">${seconds(expiresIn)}</td>
  <td data-label="token">${token ?? '–'}</td>
  <td data-label="waiting">${waiting}</td>
</tr>`;
}

/** An id is `uuid of the process:number of the request`. */
function short(holder: string): string {
  if (holder.startsWith('~')) return 'kept by none';
  const [uuid = '', request = ''] = holder.split(':');
  return `${uuid.slice(0, 8)}:${request}`;
}

function seconds(milliseconds: number): string {
  return `${(milliseconds / 1_000).toFixed(1)} s`;
}

export function reportRowsHtml(reports: readonly Report[]): Html {
  if (reports.length === 0) return html`<li>None yet.</li>`;
  return html`${reports.slice(0, SHOWN_REPORTS).map(reportRowHtml)}`;
}

function reportRowHtml({ tick, instance, token }: Report): Html {
  return html`<li><time datetime="${tick}">${tick.slice(11, 19)}</time> <span>${instance}</span> <span>${token}</span></li>`;
}
