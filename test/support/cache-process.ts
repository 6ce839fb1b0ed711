import { type ChildProcess, fork } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

const BUILT = new URL('../../dist/lib/integrations/cache/index.js', import.meta.url);
const SCRIPT = fileURLToPath(new URL('../faults/children/cache-process.mjs', import.meta.url));

/** A process of its own, on the built package: an application whose cache and locks are in one Redis. */
export class CacheProcess {
  /** Its exit code, or null when it was killed. */
  readonly ended: Promise<number | null>;

  private constructor(
    private readonly child: ChildProcess,
    private readonly url: string,
  ) {
    this.ended = new Promise((resolve) => child.once('exit', resolve));
  }

  /** Resolves when it can be asked; it is killed with the test. */
  static async start(redisUrl: string): Promise<CacheProcess> {
    if (!existsSync(BUILT))
      throw new Error('dist/ is missing: processes run on the built package (npm run build)');
    const child = fork(SCRIPT, [redisUrl]);
    onTestFinished(() => void child.kill('SIGKILL'));
    const url = await new Promise<string>((resolve, reject) => {
      child.once('message', (message) => resolve(message as string));
      child.once('exit', (code) => reject(new Error(`it ended before it could be asked, with ${code}`)));
    });
    return new CacheProcess(child, url);
  }

  get pid(): number | undefined {
    return this.child.pid;
  }

  ask(path: string): Promise<unknown> {
    const asked = this.#ask(path);
    asked.catch(() => {}); // that a killed process does not answer need not interest the test
    return asked;
  }

  async kill(): Promise<void> {
    this.child.kill('SIGKILL');
    await this.ended;
  }

  /** It closes its application and should end by itself. */
  close(): void {
    this.child.send('close');
  }

  async #ask(path: string): Promise<unknown> {
    const answer = await fetch(`${this.url}${path}`);
    if (!answer.ok) throw new Error(`${answer.status}: ${await answer.text()}`);
    return answer.json();
  }
}
