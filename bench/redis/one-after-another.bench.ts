import type { Benchmark } from '../harness/benchmark.js';
import { throughputOfRaw } from './throughput.js';

export const oneAfterAnother: Benchmark = {
  name: 'redis: acquire + release, one after another',
  unit: '× raw',
  goal: { atLeast: 0.95 },
  measure: () =>
    throughputOfRaw({
      title: 'acquire + release, one after another (more is better)',
      callers: 1,
      turns: 100,
      rounds: 151,
    }),
};
