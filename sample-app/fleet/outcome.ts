/** One line of what the fleet shows. */
export interface Outcome {
  readonly what: string;
  readonly promised: number;
  readonly locked: number;
  /** The same without locks, for comparison, where it was tried. */
  readonly unlocked?: number;
}

export function isKept({ promised, locked }: Outcome): boolean {
  return promised === locked;
}

export function tableOf(outcomes: readonly Outcome[]): string {
  const rows = [
    ['', 'promised', 'with locks', 'without'],
    ...outcomes.map(({ what, promised, locked, unlocked }) => [
      what,
      String(promised),
      String(locked),
      String(unlocked ?? '-'),
    ]),
  ];
  const widths = [0, 1, 2, 3].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map(([what = '', ...numbers]) =>
      [what.padEnd(widths[0] ?? 0), ...numbers.map((text, index) => text.padStart(widths[index + 1] ?? 0))]
        .join('   ')
        .trimEnd(),
    )
    .join('\n');
}
