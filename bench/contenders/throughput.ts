import type { Finding } from '../harness/benchmark.js';
import { median, timeInRounds } from '../harness/rounds.js';
import type { Contender } from './contender.js';

export interface Throughput {
  readonly title: string;
  /** Callers at the same time, each with a key of its own. */
  readonly callers: number;
  /** What each does in a round, one after another. */
  readonly turns: number;
  readonly rounds: number;
}

/** Whom all are compared with: the unit is a share of its rate. */
export interface Measure {
  readonly name: string;
  readonly unit: string;
}

/** Keys taken and released by all contenders in turn; the value is the rate of `ours` as a share of the measure's. */
export async function throughputOf(
  measure: Measure,
  contenders: readonly Contender[],
  { title, callers, turns, rounds }: Throughput,
): Promise<Finding> {
  const measured = await timeInRounds(
    Object.fromEntries(
      contenders.map((contender) => [contender.name, () => takeTurns(contender, callers, turns)]),
    ),
    rounds,
  );
  const took = (name: string) => measured.map((round) => round[name] ?? Number.NaN);
  const shareOf = (name: string) =>
    median(took(name).map((ms, round) => (took(measure.name)[round] ?? Number.NaN) / ms));
  const bars = contenders.map(({ name }) => {
    const rate = (callers * turns * 1_000) / median(took(name));
    return { name, value: rate, text: `${rounded(rate)}/s, ${shareOf(name).toFixed(2)} ${measure.unit}` };
  });
  return {
    value: shareOf('ours'),
    detail: bars.map(({ name, text }) => `${name} ${text}`).join('; '),
    chart: { title, bars },
  };
}

async function takeTurns({ turn }: Contender, callers: number, turns: number): Promise<void> {
  const caller = async (_: unknown, index: number) => {
    for (let done = 0; done < turns; done += 1) await turn(`bench:${index}`);
  };
  await Promise.all(Array.from({ length: callers }, caller));
}

function rounded(rate: number): string {
  return (Math.round(rate / 100) * 100).toLocaleString('en');
}
