import type { Benchmark } from '../harness/benchmark.js';
import { throughputOfRaw } from './throughput.js';

export const concurrent: Benchmark = {
  name: 'redis: acquire + release, 256 keys at once',
  unit: '× raw',
  goal: { atLeast: 0.95 },
  measure: () =>
    throughputOfRaw({
      title: 'acquire + release, 256 keys at once (more is better)',
      callers: 256,
      turns: 8,
      rounds: 41,
    }),
};
