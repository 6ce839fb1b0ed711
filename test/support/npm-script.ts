import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

const running = new Set<NpmScript>();
process.on('exit', () => {
  for (const script of running) script.signal('SIGKILL');
});

/** A script of package.json, run as a user would, in a process group of its own. */
export class NpmScript {
  readonly #child: ChildProcess;
  /** Its exit code; null when a signal ended it. */
  readonly ended: Promise<number | null>;
  readonly #listeners = new Set<() => void>();
  /** All that it printed. */
  output = '';

  constructor(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
    this.#child = spawn('npm', args, {
      cwd: ROOT,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...env },
    });
    running.add(this);
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.output += text;
        for (const listener of this.#listeners) listener();
      });
    }
    this.ended = new Promise((resolve, reject) => {
      this.#child.once('error', reject);
      this.#child.once('close', resolve);
    });
    void this.ended.finally(() => running.delete(this));
  }

  /** Resolves when it has printed something like this. */
  async printed(pattern: RegExp): Promise<void> {
    const seen = new Promise<void>((resolve) => {
      const look = () => pattern.test(this.output) && resolve();
      this.#listeners.add(look);
      look();
    });
    const tooEarly = this.ended.then((code) => {
      throw new Error(`it ended with ${code} and without ${pattern}: ${this.output}`);
    });
    await Promise.race([seen, tooEarly]);
  }

  /** To the whole group, as a terminal does it. */
  signal(signal: NodeJS.Signals): void {
    if (this.#child.pid === undefined) return;
    try {
      process.kill(-this.#child.pid, signal);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error; // it has ended
    }
  }

  async stop(): Promise<void> {
    this.signal('SIGTERM');
    await this.ended;
  }
}
