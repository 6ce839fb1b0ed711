import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import type { LockedCronOptions } from '../../../lib/integrations/schedule/index.js';

const BUILT = new URL('../../../dist/lib/integrations/schedule/index.js', import.meta.url);
const WORKER = fileURLToPath(new URL('./job-worker.mjs', import.meta.url));
const SHIFTED_CLOCK = new URL('./shifted-clock.mjs', import.meta.url).href;

export interface JobProcessOptions {
  /** The address of a Redis. */
  readonly url: string;
  readonly expression: string;
  readonly options?: LockedCronOptions;
  /** How long a run takes, in milliseconds. */
  readonly work: number;
  /** By how many milliseconds its clock is ahead; behind where negative. */
  readonly ahead?: number;
}

/**
 * A process of its own, on the built package, with one job. Each run appends `begin <tick>` and `end <tick>` to the
 * list `runs` in Redis.
 */
export class JobProcess {
  readonly #child: ChildProcess;
  /**
   * What it told of itself: `took <tick>`, `missed <tick>` (another has it), `overlap`, `runs <tick>`, `error <code>`,
   * `unhandled <error>`. A tick is its minute and second.
   */
  readonly events: string[] = [];
  readonly #listeners = new Set<() => void>();

  private constructor(child: ChildProcess) {
    this.#child = child;
    child.on('message', (event) => {
      this.events.push(event as string);
      for (const listener of this.#listeners) listener();
      this.#listeners.clear();
    });
  }

  /** Resolves when it is ready; it is killed with the test. */
  static async start({ ahead = 0, ...job }: JobProcessOptions): Promise<JobProcess> {
    if (!existsSync(BUILT))
      throw new Error('dist/ is missing: processes run on the built package (npm run build)');
    const child = fork(WORKER, [JSON.stringify(job)], {
      execArgv: ['--import', SHIFTED_CLOCK],
      env: { ...process.env, CLOCK_SHIFT: String(ahead) },
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    const started = new JobProcess(child);
    await started.seen(/^ready$/);
    return started;
  }

  /** Resolves with the first event from this place on that matches, be it in the past. */
  async seen(event: RegExp, from = 0): Promise<string> {
    for (;;) {
      const found = this.events.slice(from).find((each) => event.test(each));
      if (found !== undefined) return found;
      await new Promise<void>((resolve) => this.#listeners.add(resolve));
    }
  }

  async kill(): Promise<void> {
    const gone = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await gone;
  }
}
