import { cpus } from 'node:os';
import type { DocsPage } from '../harness/docs-page.js';
import { concurrent } from './concurrent.bench.js';
import { lostMajority } from './lost-majority.bench.js';
import { oneAfterAnother } from './one-after-another.bench.js';
import { scripts } from './scripts.bench.js';
import { stoppedNode } from './stopped-node.bench.js';

export const redlockPage: DocsPage = {
  name: 'redlock',
  title: 'Redlock store: speed',
  introduction: `which starts five Redis servers of its own on the loopback interface. Everything is compared within one run: rounds of all contenders alternate, and medians are taken unless it says p99. Absolute numbers are those of one small machine (${cpus().length} cores, Node ${process.version}) on which all five servers and the client share the cores; on loopback a round trip is far shorter than over any network, so that every microsecond of ours counts.`,
  plot: 'Bars of ours, of redlock 5 and of redlock 4',
  benchmarks: [oneAfterAnother, concurrent, stoppedNode, lostMajority, scripts],
  notes: [
    '**redlock 5** is `redlock` 5.0.0-beta.2, **redlock 4** is `redlock` 4.2.0. Neither makes fencing tokens. Rates are measured through the same five clients for all.',
    '**Stopped** is a server that hangs (SIGSTOP): its connections stay open, and it answers nothing. Samples begin with the moment at which it stops.',
    'By themselves, redlock 4 waits for ever for any node that hangs, and redlock 5 when it is needed for a decision. So where nodes fail, they have clients with `commandTimeout: 250`. Ours has clients without any setting, and gives a node 50 ms.',
    'Without a majority, redlock asks again ten times, as its defaults say, before it gives up. Ours says at once what each node answered.',
  ],
};
