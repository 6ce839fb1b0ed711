import { mkdirSync, writeFileSync } from 'node:fs';
import { svgOf } from './bar-chart.js';
import type { Benchmark } from './benchmark.js';
import { markdownTableOf, type Row } from './table.js';

/** From `dist/bench/harness`. */
const DOCS = new URL('../../../docs/bench/', import.meta.url);

/** A page of `docs/bench`: all of its benchmarks in a plot and a table. */
export interface DocsPage {
  /** The name of its files. */
  readonly name: string;
  readonly title: string;
  readonly introduction: string;
  /** What the plot shows, for those who cannot see it. */
  readonly plot: string;
  readonly benchmarks: readonly Benchmark[];
  /** Words of the table that need to be explained, and what else is to be known. */
  readonly notes: readonly string[];
}

/** Writes those pages of which every benchmark was run: one with less would look whole. */
export function writeDocs(pages: readonly DocsPage[], rows: readonly Row[]): void {
  mkdirSync(DOCS, { recursive: true });
  for (const page of pages) {
    const own = rows.filter(({ benchmark }) => page.benchmarks.includes(benchmark));
    if (own.length < page.benchmarks.length) continue;
    const charts = own.flatMap(({ finding }) => finding.chart ?? []);
    writeFileSync(new URL(`${page.name}.svg`, DOCS), svgOf(charts));
    writeFileSync(new URL(`${page.name}.md`, DOCS), textOf(page, own));
    console.log(`Wrote docs/bench/${page.name}.md and its plot.`);
  }
}

function textOf({ name, title, introduction, plot, notes }: DocsPage, rows: readonly Row[]): string {
  return `# ${title}

Written by \`npm run bench -- ${name} --write-docs\`, ${introduction}

![${plot}](${name}.svg)

${markdownTableOf(rows)}

${notes.map((note) => `- ${note}`).join('\n')}

## Details

${rows.map(({ benchmark, finding }) => `- ${benchmark.name}: ${finding.detail}.`).join('\n')}
`;
}
