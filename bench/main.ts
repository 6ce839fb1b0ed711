import 'reflect-metadata';
import { parseArgs } from 'node:util';
import { handOff } from './core/hand-off.bench.js';
import { heap } from './core/heap.bench.js';
import { reentrantCall } from './core/reentrant-call.bench.js';
import { renewal } from './core/renewal.bench.js';
import { uncontendedCall } from './core/uncontended-call.bench.js';
import { type Benchmark, verdictOn } from './harness/benchmark.js';
import { writeDocs } from './harness/docs-page.js';
import { quantity, type Row, tableOf } from './harness/table.js';
import { redisPage } from './redis/redis.docs.js';
import { redlockPage } from './redlock/redlock.docs.js';

const core: readonly Benchmark[] = [reentrantCall, uncontendedCall, handOff, heap, renewal];
const pages = [redisPage, redlockPage];
const benchmarks = [...core, ...pages.flatMap((page) => page.benchmarks)];

/** `npm run bench -- redis` runs only those with this in their names. */
const {
  positionals: [wanted = ''],
  values: { 'write-docs': toDocs },
} = parseArgs({ allowPositionals: true, options: { 'write-docs': { type: 'boolean', default: false } } });
const chosen = benchmarks.filter(({ name }) => name.includes(wanted));
if (chosen.length === 0) {
  throw new Error(
    `no benchmark has '${wanted}' in its name: ${benchmarks.map(({ name }) => name).join('; ')}`,
  );
}

console.log(`Node ${process.version}, ${process.platform} ${process.arch}`);
const rows: Row[] = [];
for (const [index, benchmark] of chosen.entries()) {
  process.stdout.write(`[${index + 1}/${chosen.length}] ${benchmark.name} … `);
  const finding = await benchmark.measure();
  console.log(quantity(finding.value, benchmark.unit));
  rows.push({ benchmark, finding });
}

console.log(`\n${tableOf(rows)}\n`);
if (toDocs) writeDocs(pages, rows);
const missed = rows.filter(({ benchmark, finding }) => verdictOn(finding, benchmark.goal) === 'missed');
console.log(missed.length === 0 ? 'Every goal is met.' : `${missed.length} missed.`);
process.exitCode = missed.length === 0 ? 0 : 1;
