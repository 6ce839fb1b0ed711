import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
const accepted = readFileSync(new URL('./types/accepted.ts', import.meta.url), 'utf8');
const rejected = readFileSync(new URL('./types/rejected.ts', import.meta.url), 'utf8');

const EXPECTATION = /^ *\/\/ @ts-expect-error (.+)$/;
const expectations = rejected.split('\n').flatMap((line, index, lines) => {
  const text = EXPECTATION.exec(line)?.[1];
  return text ? [{ text, line: index + 2, code: lines[index + 1]?.trim() }] : []; // lines count from 1
});

describe.each([
  { compiler: 'TypeScript 7', bin: '@typescript/native/bin/tsc' },
  { compiler: 'TypeScript 6', bin: 'typescript/bin/tsc6' },
])('declarations in $compiler', ({ bin }) => {
  let errors: CompileError[];

  beforeAll(() => {
    // The errors are to be seen, on the same lines.
    const bare = rejected.replaceAll('@ts-expect-error', '');
    errors = compile(bin, { 'accepted.ts': accepted, 'rejected.ts': bare });
  });

  it('accept what fits', () => {
    expect(errors.filter(({ file }) => file !== 'rejected.ts')).toEqual([]);
  });

  it('accept it without strict, too', () => {
    expect(compile(bin, { 'accepted.ts': accepted }, { strict: false })).toEqual([]);
  });

  for (const { code, line, text } of expectations) {
    it(`reject ${code}`, () => {
      const found = errors.filter((error) => error.file === 'rejected.ts' && error.line === line);
      expect(found).toContainEqual(expect.objectContaining({ message: expect.stringContaining(text) }));
    });
  }

  it('reject nothing else', () => {
    const lines = new Set(errors.filter(({ file }) => file === 'rejected.ts').map(({ line }) => line));
    expect([...lines]).toEqual(expectations.map(({ line }) => line));
  });
});

interface CompileError {
  readonly file: string;
  readonly line: number;
  readonly message: string;
}

/** Compiles files as a user of the built package would. */
function compile(bin: string, files: Record<string, string>, options?: { strict: boolean }): CompileError[] {
  // Inside dist, and with no outDir, the package's own name leads to the built declarations, not to lib.
  const folder = mkdtempSync(join(root, 'dist/types-'));
  try {
    for (const [name, source] of Object.entries(files)) writeFileSync(join(folder, name), source);
    // No skipLibCheck: the declarations themselves have to be right.
    const compilerOptions = {
      target: 'es2022',
      lib: ['es2022', 'esnext.disposable'],
      module: 'nodenext',
      types: ['node'],
      strict: true,
      experimentalDecorators: true,
      noEmit: true,
      ...options,
    };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions }));
    const tsc = join(root, 'node_modules', bin);
    const { stdout, stderr, error } = spawnSync(process.execPath, [tsc, '--pretty', 'false'], {
      cwd: folder,
      encoding: 'utf8',
    });
    if (error) throw error;
    return parseErrors(stdout + stderr);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** An error begins at the start of a line; the lines below that are indented explain it. */
function parseErrors(output: string): CompileError[] {
  return output
    .split(/\n(?! )/)
    .filter(Boolean)
    .map((message) => {
      const [, file = '', line] = /^([^(]+)\((\d+),\d+\): error /.exec(message) ?? [];
      return { file, line: Number(line), message };
    });
}
