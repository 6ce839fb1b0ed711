import type { Benchmark } from '../harness/benchmark.js';
import { throughputOfRedlock5 } from './throughput.js';

export const concurrent: Benchmark = {
  name: 'redlock: acquire + release on five nodes, 64 keys at once',
  unit: '× redlock 5',
  goal: { atLeast: 1 },
  measure: () =>
    throughputOfRedlock5({
      title: 'acquire + release on five nodes, 64 keys at once (more is better)',
      callers: 64,
      turns: 8,
      rounds: 41,
    }),
};
