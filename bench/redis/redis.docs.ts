import { cpus } from 'node:os';
import type { DocsPage } from '../harness/docs-page.js';
import { commandsFew, commandsMany } from './commands.bench.js';
import { concurrent } from './concurrent.bench.js';
import { handOffMedian, handOffTail } from './hand-off.bench.js';
import { heldCpu, heldHeap, heldScripts } from './held.bench.js';
import { oneAfterAnother } from './one-after-another.bench.js';
import { order } from './order.bench.js';

export const redisPage: DocsPage = {
  name: 'redis',
  title: 'Redis store: speed',
  introduction: `which starts a Redis server of its own on the loopback interface. Everything is compared within one run: rounds of all contenders alternate, through one ioredis client, and medians are taken. Absolute numbers are those of one small machine (${cpus().length} cores, Node ${process.version}); on loopback a round trip is far shorter than over any network, so that every microsecond of ours counts.`,
  plot: 'Bars of ours, of raw ioredis and of other libraries',
  benchmarks: [
    oneAfterAnother,
    concurrent,
    handOffMedian,
    handOffTail,
    commandsFew,
    commandsMany,
    heldScripts,
    heldCpu,
    heldHeap,
    order,
  ],
  notes: [
    '**raw** is `SET NX PX` and a compare-and-delete script, with nothing around: no fencing token, no queue, no renewal. Ours has all of them in the same two round trips.',
    '**publish→message** is one message from one process to another through Redis: nothing that is woken by Redis can be faster. It is the median of the trips measured between the hand-offs.',
    'Other libraries ask again at their default intervals: the hand-off is about half of that.',
  ],
};
