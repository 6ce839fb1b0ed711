import { type Benchmark, type Finding, type Goal, verdictOn } from './benchmark.js';

export interface Row {
  readonly benchmark: Benchmark;
  readonly finding: Finding;
}

const HEADS = ['measured', 'found', 'goal', 'verdict'] as const;

/** The findings in aligned columns. */
export function tableOf(rows: readonly Row[]): string {
  const cells = [[...HEADS, 'detail'], ...rows.map((row) => [...cellsOf(row), row.finding.detail])];
  return aligned(cells, '─')
    .map((row) => row.join('  ').trimEnd())
    .join('\n');
}

/** The same in Markdown, without details. */
export function markdownTableOf(rows: readonly Row[]): string {
  return aligned([HEADS, ...rows.map(cellsOf)], '-')
    .map((row) => `| ${row.join(' | ')} |`)
    .join('\n');
}

export function quantity(value: number, unit: string): string {
  return `${value.toFixed(value < 10 ? 3 : 1)} ${unit}`;
}

/** Every column as wide as its widest cell, and a line below the heads. */
function aligned(cells: readonly (readonly string[])[], line: string): readonly (readonly string[])[] {
  const widths =
    cells[0]?.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0))) ?? [];
  const rows = cells.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)));
  return rows.toSpliced(
    1,
    0,
    widths.map((width) => line.repeat(width)),
  );
}

function cellsOf({ benchmark: { name, unit, goal }, finding }: Row): readonly string[] {
  return [name, quantity(finding.value, unit), goal ? goalText(goal, unit) : '', verdictOn(finding, goal)];
}

function goalText(goal: Goal, unit: string): string {
  return 'atMost' in goal ? `≤ ${goal.atMost} ${unit}` : `≥ ${goal.atLeast} ${unit}`;
}
