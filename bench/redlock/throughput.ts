import { withLocks } from '../contenders/locks.app.js';
import { ourStore, ours } from '../contenders/ours.contenders.js';
import { redlock4, redlock5 } from '../contenders/redlock.contenders.js';
import { type Throughput, throughputOf } from '../contenders/throughput.js';
import type { Finding } from '../harness/benchmark.js';
import { patientStore, plainClients, withNodes } from './redlock.app.js';

/** Keys taken and released by all contenders through the same five clients. */
export function throughputOfRedlock5(throughput: Throughput): Promise<Finding> {
  return withNodes(async (nodes) => {
    const clients = plainClients(nodes);
    return withLocks(patientStore(clients), async (locks) => {
      const peer = redlock5(clients);
      const contenders = [ours(locks), ourStore(patientStore(clients)), peer, redlock4(clients)];
      return throughputOf({ name: peer.name, unit: '× redlock 5' }, contenders, throughput);
    });
  });
}
