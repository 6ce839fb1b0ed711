import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { svgOf } from '../harness/bar-chart.js';
import { markdownTableOf, type Row } from '../harness/table.js';

/** From `dist/bench/redis`. */
const DOCS = new URL('../../../docs/bench/', import.meta.url);

/** Writes what was found for Redis into `docs/bench`. */
export function writeRedisDocs(rows: readonly Row[]): void {
  mkdirSync(DOCS, { recursive: true });
  const charts = rows.flatMap(({ finding }) => finding.chart ?? []);
  writeFileSync(new URL('redis.svg', DOCS), svgOf(charts));
  writeFileSync(new URL('redis.md', DOCS), pageOf(rows));
}

function pageOf(rows: readonly Row[]): string {
  return `# Redis store: speed

Written by \`npm run bench -- redis --write-docs\`, which starts a Redis server of its own on the loopback interface. Everything is compared within one run: rounds of all contenders alternate, through one ioredis client, and medians are taken. Absolute numbers are those of one small machine (${cpus().length} cores, Node ${process.version}); on loopback a round trip is far shorter than over any network, so that every microsecond of ours counts.

![Bars of ours, of raw ioredis and of other libraries](redis.svg)

${markdownTableOf(rows)}

- **raw** is \`SET NX PX\` and a compare-and-delete script, with nothing around: no fencing token, no queue, no renewal. Ours has all of them in the same two round trips.
- **publish→message** is one message from one process to another through Redis: nothing that is woken by Redis can be faster. It is the median of the trips measured between the hand-offs.
- Other libraries ask again at their default intervals: the hand-off is about half of that.

## Details

${rows.map(({ benchmark: { name }, finding: { detail } }) => `- ${name}: ${detail}.`).join('\n')}
`;
}
