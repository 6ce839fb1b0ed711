import type { Bar, Chart } from './benchmark.js';

const WIDTH = 720;
const NAMES = 170;
const LONGEST_BAR = 330;
const ROW = 20;
const TITLE = 34;
/** Greys and a blue that can be read on white and on black: nobody knows on which the picture is shown. */
const STYLE = `
  text { font: 12px system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif; fill: #75808c; }
  .title { font-weight: 600; font-size: 13px; }
  .bar { fill: #8b96a3; fill-opacity: 0.55; }
  .ours { fill: #3b82f6; fill-opacity: 1; }
  text.ours { font-weight: 600; }
`;

/** Charts of horizontal bars, one below another, as an SVG picture. Bars of ours stand out. */
export function svgOf(charts: readonly Chart[]): string {
  let top = 0;
  const groups = charts.map((chart) => {
    const group = `<g transform="translate(0 ${top})">${groupOf(chart)}\n</g>`;
    top += heightOf(chart);
    return group;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${top}" width="${WIDTH}" height="${top}" role="img">`,
    `<title>${escaped(charts.map(({ title }) => title).join('; '))}</title>`,
    `<style>${STYLE}</style>`,
    ...groups,
    '</svg>\n',
  ].join('\n');
}

function groupOf({ title, bars }: Chart): string {
  const most = Math.max(...bars.map(({ value }) => value));
  const rows = bars.map((bar, index) => rowOf(bar, TITLE + index * ROW, (bar.value / most) * LONGEST_BAR));
  return [`\n<text class="title" x="8" y="22">${escaped(title)}</text>`, ...rows].join('\n');
}

function rowOf({ name, text }: Bar, top: number, length: number): string {
  const kind = name.startsWith('ours') ? ' class="ours"' : '';
  const width = Math.max(1, length).toFixed(1);
  return [
    `<text${kind} x="${NAMES - 8}" y="${top + 12}" text-anchor="end">${escaped(name)}</text>`,
    `<rect class="bar${kind && ' ours'}" x="${NAMES}" y="${top + 1}" width="${width}" height="${ROW - 6}" rx="2"/>`,
    `<text${kind} x="${(NAMES + Number(width) + 8).toFixed(1)}" y="${top + 12}">${escaped(text)}</text>`,
  ].join('\n');
}

function heightOf({ bars }: Chart): number {
  return TITLE + bars.length * ROW + 10;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
