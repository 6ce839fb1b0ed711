import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

const BUILT = new URL('../../dist/lib/index.js', import.meta.url);
const CHILDREN = new URL('../faults/children/', import.meta.url);
/** A child that has not ended by then never will. */
const AT_MOST = 20_000;

interface ChildEnd {
  readonly code: number | null;
  /** What ended it, where it did not end by itself. */
  readonly signal: NodeJS.Signals | null;
  /** What it printed, line by line. */
  readonly lines: readonly string[];
  readonly stderr: string;
}

export interface Child {
  readonly ended: Promise<ChildEnd>;
  /** Resolves when the child has printed this line. */
  printed(line: string): Promise<void>;
  kill(signal: NodeJS.Signals): void;
}

/** Starts a script of `test/faults/children` as a process of its own, on the built package. */
export function startChild(name: string): Child {
  if (!existsSync(BUILT))
    throw new Error('dist/ is missing: children run on the built package (npm run build)');
  const child = spawn(process.execPath, [fileURLToPath(new URL(name, CHILDREN))], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const timer = setTimeout(() => child.kill('SIGKILL'), AT_MOST);
  onTestFinished(() => {
    clearTimeout(timer);
    child.kill('SIGKILL');
  });
  let stdout = '';
  let stderr = '';
  const listeners = new Set<() => void>();
  const tell = () => {
    for (const listener of listeners) listener();
  };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
    tell();
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const lines = () => stdout.split('\n').filter((line) => line !== '');
  const ended = new Promise<ChildEnd>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => resolve({ code, signal, lines: lines(), stderr }));
  });
  return {
    ended,
    printed: (line) =>
      new Promise<void>((resolve, reject) => {
        const look = () => {
          if (lines().includes(line)) resolve();
        };
        listeners.add(look);
        look();
        void ended.then((end) => reject(new Error(`it ended without "${line}": ${end.stderr}`)));
      }),
    kill: (signal) => void child.kill(signal),
  };
}
