import { type ChildProcess, spawn } from 'node:child_process';
import { isOnPath } from '../../test/support/debian-package.js';

/** Where the system can do it, programs end with this one even when it is killed. */
const DIES_WITH_US = isOnPath('setpriv') ? ['setpriv', '--pdeathsig', 'KILL'] : [];
/** One that was told to end gets this long, in milliseconds. */
const PATIENCE = 10_000;

const running = new Set<Program>();
process.on('exit', () => {
  for (const program of running) program.kill();
});

/** A child process, in a group of its own so that Ctrl+C reaches it through {@link stop} alone. */
export class Program {
  readonly #child: ChildProcess;
  readonly #ended: Promise<void>;
  #output = '';

  constructor(
    readonly name: string,
    command: readonly string[],
    env: Readonly<Record<string, string>> = {},
  ) {
    const [program = '', ...args] = [...DIES_WITH_US, ...command];
    this.#child = spawn(program, args, {
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...env },
    });
    running.add(this);
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.#output += text;
      });
    }
    this.#ended = new Promise((resolve) => {
      this.#child.once('error', () => resolve());
      this.#child.once('close', () => resolve());
    });
    void this.#ended.then(() => running.delete(this));
  }

  /** Why it does not run any more. */
  get failure(): string | undefined {
    return running.has(this) ? undefined : `${this.name} has ended. ${this.#output.trim()}`;
  }

  async stop(): Promise<void> {
    this.#child.kill('SIGTERM');
    const timer = setTimeout(() => this.kill(), PATIENCE);
    await this.#ended;
    clearTimeout(timer);
  }

  kill(): void {
    this.#child.kill('SIGKILL');
  }
}
