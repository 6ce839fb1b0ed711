import 'reflect-metadata';
import { handOff } from './core/hand-off.bench.js';
import { heap } from './core/heap.bench.js';
import { reentrantCall } from './core/reentrant-call.bench.js';
import { renewal } from './core/renewal.bench.js';
import { uncontendedCall } from './core/uncontended-call.bench.js';
import { verdictOn } from './harness/benchmark.js';
import { quantity, type Row, tableOf } from './harness/table.js';

const benchmarks = [reentrantCall, uncontendedCall, handOff, heap, renewal];

/** `npm run bench -- heap` runs only those with this in their names. */
const [wanted = ''] = process.argv.slice(2);
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
const missed = rows.filter(({ benchmark, finding }) => verdictOn(finding, benchmark.goal) === 'missed');
console.log(missed.length === 0 ? 'Every goal is met.' : `${missed.length} missed.`);
process.exitCode = missed.length === 0 ? 0 : 1;
