import { type Benchmark, type Finding, type Goal, verdictOn } from './benchmark.js';

export interface Row {
  readonly benchmark: Benchmark;
  readonly finding: Finding;
}

/** The findings in aligned columns. */
export function tableOf(rows: readonly Row[]): string {
  const cells = [
    ['measured', 'found', 'goal', 'verdict', 'detail'],
    ...rows.map(({ benchmark: { name, unit, goal }, finding }) => [
      name,
      quantity(finding.value, unit),
      goal ? goalText(goal, unit) : '',
      verdictOn(finding, goal),
      finding.detail,
    ]),
  ];
  const widths =
    cells[0]?.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0))) ?? [];
  const lines = cells.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '));
  lines.splice(1, 0, widths.map((width) => '─'.repeat(width)).join('  '));
  return lines.map((line) => line.trimEnd()).join('\n');
}

export function quantity(value: number, unit: string): string {
  return `${value.toFixed(2)} ${unit}`;
}

function goalText(goal: Goal, unit: string): string {
  return 'atMost' in goal ? `≤ ${goal.atMost} ${unit}` : `≥ ${goal.atLeast} ${unit}`;
}
