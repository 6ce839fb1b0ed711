import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { askStore } from '../../../lib/core/ask-store.js';
import { ManualClock } from '../../../lib/testing/manual-clock.js';

const patience = { name: 'test', clock: new ManualClock(), timeout: 100 };

function ask<T>(question: () => T | PromiseLike<T>): Promise<T> {
  return new Promise((resolve, reject) => askStore(patience, question, resolve, reject));
}

const fail = (error: unknown) => expect.unreachable(String(error));

describe('askStore', () => {
  it('takes an answer that is there at once', async () => {
    const answers: boolean[] = [];
    askStore(
      patience,
      () => true,
      (answer) => answers.push(answer),
      fail,
    );
    expect(answers).toEqual([true]);
  });

  it('waits for a promise of another realm, too', async () => {
    const foreign: PromiseLike<boolean> = runInNewContext('Promise.resolve(false)');
    const answers: unknown[] = [];
    askStore(
      patience,
      () => foreign,
      (answer) => answers.push(answer),
      fail,
    );
    expect(answers).toEqual([]);
    await expect(ask(() => foreign)).resolves.toBe(false);
    expect(answers).toEqual([false]);
  });

  it('fails when the store throws, rejects or stays silent', async () => {
    const broken = new Error('broken');
    await expect(
      ask(() => {
        throw broken;
      }),
    ).rejects.toBe(broken);
    await expect(ask(() => Promise.reject(broken))).rejects.toBe(broken);
    const silent = ask(() => new Promise(() => {}));
    await Promise.all([expect(silent).rejects.toThrow('within 100 ms'), patience.clock.advance(100)]);
  });
});
