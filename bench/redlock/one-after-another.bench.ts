import type { Benchmark } from '../harness/benchmark.js';
import { throughputOfRedlock5 } from './throughput.js';

export const oneAfterAnother: Benchmark = {
  name: 'redlock: acquire + release on five nodes, one after another',
  unit: '× redlock 5',
  goal: { atLeast: 1 },
  measure: () =>
    throughputOfRedlock5({
      title: 'acquire + release on five nodes, one after another (more is better)',
      callers: 1,
      turns: 50,
      rounds: 101,
    }),
};
