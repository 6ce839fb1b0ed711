import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';

/** A process of its own that answers what it is told, message by message. */
export class Child<Told, Answer> {
  readonly #process: ChildProcess;
  readonly #answers: Answer[] = [];
  #onAnswer: (() => void) | undefined;

  constructor(script: URL, ...args: readonly string[]) {
    this.#process = fork(script, args);
    this.#process.on('message', (answer: Answer) => {
      this.#answers.push(answer);
      this.#onAnswer?.();
    });
    this.#process.on('exit', () => this.#onAnswer?.());
  }

  tell(message: Told): void {
    this.#process.send(message as object);
  }

  async answer(): Promise<Answer> {
    while (this.#answers.length === 0) {
      if (this.#process.exitCode !== null) throw new Error('the child has ended');
      await new Promise<void>((resolve) => {
        this.#onAnswer = resolve;
      });
    }
    return this.#answers.shift() as Answer;
  }

  async end(): Promise<void> {
    if (this.#process.exitCode !== null) return;
    const ended = once(this.#process, 'exit');
    this.#process.disconnect();
    await ended;
  }
}

/** Milliseconds of the clock that all processes of the machine share. */
export function sharedTime(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
