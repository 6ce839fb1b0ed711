/** One measurement, and the goal that it is held to. */
export interface Benchmark {
  readonly name: string;
  /** The unit of what is found and of the goal. */
  readonly unit: string;
  /** Missing: measured for information. */
  readonly goal?: Goal;
  measure(): Promise<Finding>;
}

export type Goal = { readonly atMost: number } | { readonly atLeast: number };

export interface Finding {
  readonly value: number;
  /** What the value was made of, for the reader of the table. */
  readonly detail: string;
  /** The same beside others, for the plot. */
  readonly chart?: Chart;
}

/** One bar for each who was measured. */
export interface Chart {
  readonly title: string;
  readonly bars: readonly Bar[];
}

export interface Bar {
  readonly name: string;
  readonly value: number;
  /** The value as it is written beside the bar. */
  readonly text: string;
}

export type Verdict = 'met' | 'missed' | 'for information';

export function verdictOn({ value }: Finding, goal: Goal | undefined): Verdict {
  if (!goal) return 'for information';
  // A value that is no number misses every goal.
  return ('atMost' in goal ? value <= goal.atMost : value >= goal.atLeast) ? 'met' : 'missed';
}
