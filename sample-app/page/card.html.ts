import { type Html, html } from './html.js';

/** One use of the library, to be tried out. */
export interface Card {
  /** What the script knows it by. */
  readonly name: string;
  readonly title: string;
  readonly text: string;
  readonly code: string;
  /** For the run with the lock and, where there is one, for the run without it. */
  readonly buttons: readonly string[];
  /** What is shown of the answer: its fields, and what they are called. */
  readonly fields: Readonly<Record<string, string>>;
  readonly chart?: Chart;
  readonly more?: Html;
}

/** A bar for one field of the answer. What is beyond the mark should not be. */
interface Chart {
  readonly field: string;
  /** The field in which it is seen at once; that of the bar by default. */
  readonly judged?: string;
  readonly mark: number;
  readonly marked: string;
  readonly end: number;
  readonly ends: string;
}

export function cardHtml(card: Card): Html {
  const { name, title, text, code, buttons, chart, more = '' } = card;
  const runs = buttons.map((button, index) => ({ button, locked: index === 0 }));
  return html`
<section class="card" aria-labelledby="${name}" data-card="${name}">
  <h2 id="${name}">${title}</h2>
  <p>${text}</p>
  <pre><code>${code}</code></pre>
  <div class="buttons">${runs.map(({ button, locked }) => buttonHtml(button, locked))}</div>
  <div class="results" aria-live="polite">
    ${runs.map(({ button, locked }) => resultHtml(card, locked, runs.length > 1 ? button : ''))}
    ${chart ? scaleHtml(chart) : ''}
  </div>
  <p class="error" role="alert" hidden></p>
  ${more}
</section>`;
}

function buttonHtml(button: string, locked: boolean): Html {
  return html`<button type="button" data-locked="${String(locked)}">${button}</button>`;
}

function resultHtml({ fields, chart }: Card, locked: boolean, heading: string): Html {
  const judged = chart?.judged ?? chart?.field;
  return html`
<div class="result" data-locked="${String(locked)}">
  ${heading ? html`<h3>${heading}</h3>` : ''}
  <dl>${Object.entries(fields).map(([field, label]) => fieldHtml(field, label, judged))}</dl>
  ${chart ? barHtml(chart) : ''}
</div>`;
}

function fieldHtml(field: string, label: string, judged: string | undefined): Html {
  const name = field === judged ? 'judged' : '';
  return html`<div><dt>${label}</dt><dd data-field="${field}" class="${name}">–</dd></div>`;
}

function barHtml({ field, mark, end }: Chart): Html {
  return html`<div class="bar" data-bar="${field}" data-mark="${mark}" data-end="${end}" style="--mark: ${mark / end}" aria-hidden="true"></div>`;
}

function scaleHtml({ mark, marked, end, ends }: Chart): Html {
  return html`<div class="scale" style="--mark: ${mark / end}" aria-hidden="true"><span>${marked}</span><span>${ends}</span></div>`;
}
