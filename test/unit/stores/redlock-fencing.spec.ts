import { describe, expect, it } from 'vitest';
import { type Mistake, RedlockRun, violationIn } from '../../support/redlock-model.js';

const RUNS = 5_000;

async function firstViolation(mistake?: Mistake): Promise<string | undefined> {
  for (let seed = 1; seed <= RUNS; seed += 1) {
    const violation = violationIn(await new RedlockRun(seed, mistake).play());
    if (violation) return `run ${seed}: ${violation}`;
  }
  return undefined;
}

describe('fencing tokens of a quorum that loses keys', () => {
  it(`never repeat or go back, in ${RUNS} interleavings`, { timeout: 120_000 }, async () => {
    expect(await firstViolation()).toBeUndefined();
  });

  it('are granted often enough for that to mean something', async () => {
    const runs = await Promise.all(Array.from({ length: 100 }, (_, seed) => new RedlockRun(seed).play()));
    expect(runs.flat().length).toBeGreaterThan(200);
  });

  it.each<Mistake>(['no write-back', 'unconditional write-back', 'counters begin at 1'])(
    'would repeat or go back with this mistake: %s',
    { timeout: 120_000 },
    async (mistake) => {
      expect(await firstViolation(mistake)).toMatch(/^run \d+: /);
    },
  );
});
