import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import type { AcquireOptions } from '../../../lib/index.js';
import { type Deferred, deferred } from '../deferred.js';

const BUILT = new URL('../../../dist/lib/stores/redis/index.js', import.meta.url);
const SCRIPT = fileURLToPath(new URL('./processes-worker.mjs', import.meta.url));

/** A server by its address, a cluster by its nodes, or independent servers by their addresses. */
type Target = string | { readonly cluster: readonly object[] } | { readonly redlock: readonly string[] };

interface Methods {
  /** Gives the fencing token. */
  acquire(key: string, options?: AcquireOptions): number;
  release(key: string): boolean;
  /** Takes the lock, appends a mark to a list in Redis, and lets go. */
  pass(key: string, list: string, mark: string): void;
  /** Adds one to a counter in Redis, in two steps, so many times; its tokens are appended to `counter:tokens`. */
  count(key: string, counter: string, times: number): void;
  close(): void;
}

interface Message {
  readonly call?: number;
  readonly result?: unknown;
  readonly error?: string;
  readonly event?: string;
  readonly key?: string;
}

/** A process of its own, on the built package, that does with locks what the test says. */
export class LockProcess {
  readonly #child: ChildProcess;
  readonly #calls = new Map<number, Deferred<unknown>>();
  /** What it told of itself, as `waiting order:1`. */
  readonly #events: string[] = [];
  readonly #listeners = new Set<() => void>();
  /** Its exit code, or null when it was killed. */
  readonly ended: Promise<number | null>;

  private constructor(child: ChildProcess) {
    this.#child = child;
    this.ended = new Promise((resolve) => child.once('exit', resolve));
    child.on('message', (message: Message) => this.#received(message));
    child.on('exit', () => {
      for (const call of this.#calls.values()) call.reject(new Error('the process has ended'));
    });
  }

  /** Resolves when it is ready; it is killed with the test. */
  static async start(target: Target): Promise<LockProcess> {
    if (!existsSync(BUILT))
      throw new Error('dist/ is missing: processes run on the built package (npm run build)');
    const child = fork(SCRIPT, [JSON.stringify(typeof target === 'string' ? { url: target } : target)]);
    onTestFinished(() => void child.kill('SIGKILL'));
    const worker = new LockProcess(child);
    await worker.seen('ready', '');
    return worker;
  }

  static async startMany(count: number, url: string): Promise<readonly LockProcess[]> {
    return Promise.all(Array.from({ length: count }, () => LockProcess.start(url)));
  }

  call<M extends keyof Methods>(method: M, ...args: Parameters<Methods[M]>): Promise<ReturnType<Methods[M]>> {
    const call = this.#calls.size;
    const answer = deferred<unknown>();
    answer.promise.catch(() => {}); // that a killed process does not answer need not interest the test
    this.#calls.set(call, answer);
    this.#child.send({ call, method, args });
    return answer.promise as Promise<ReturnType<Methods[M]>>;
  }

  /** Resolves when it told so, be it in the past: that it is `waiting` for a key, in line. */
  async seen(event: string, key: string): Promise<void> {
    while (!this.#events.includes(`${event} ${key}`)) {
      await new Promise<void>((resolve) => this.#listeners.add(resolve));
    }
  }

  get events(): readonly string[] {
    return this.#events;
  }

  async kill(): Promise<void> {
    const gone = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await gone;
  }

  /** Hangs: its connections stay open, it does nothing. */
  pause(): void {
    this.#child.kill('SIGSTOP');
  }

  resume(): void {
    this.#child.kill('SIGCONT');
  }

  #received({ call, result, error, event, key }: Message): void {
    if (call !== undefined) {
      if (error === undefined) this.#calls.get(call)?.resolve(result);
      else this.#calls.get(call)?.reject(new Error(error));
      return;
    }
    this.#events.push(`${event} ${key}`);
    for (const listener of this.#listeners) listener();
    this.#listeners.clear();
  }
}
