import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureDebianPackage } from '../debian-package.js';

const SOURCE = fileURLToPath(new URL('./clock-shift.c', import.meta.url));

/** Wall clocks of servers, which a test can move while they run. */
export class ClockShift {
  readonly #folder = mkdtempSync(join(tmpdir(), 'clock-shift-'));
  readonly #library = join(this.#folder, 'clock-shift.so');

  constructor() {
    ensureDebianPackage('gcc', 'gcc');
    // Without the headers of the C library gcc alone cannot do it.
    const args = ['-O2', '-Wall', '-Werror', '-shared', '-fPIC', '-o', this.#library, SOURCE];
    const made = spawnSync('gcc', args, { encoding: 'utf8' });
    if (made.status !== 0)
      throw new Error(
        `gcc made no library (on Debian it needs gcc and libc6-dev): ${made.stderr}${made.error ?? ''}`,
      );
  }

  /** What a server has to be started with, so that its clock is the one of this name. */
  envOf(clock: string): Readonly<Record<string, string>> {
    writeFileSync(this.#fileOf(clock), Buffer.alloc(8));
    return { LD_PRELOAD: this.#library, CLOCK_SHIFT: this.#fileOf(clock) };
  }

  /** So many milliseconds fast, or slow where negative. */
  set(clock: string, ms: number): void {
    const bytes = Buffer.alloc(8);
    bytes.writeBigInt64LE(BigInt(ms) * 1_000_000n);
    // In place: a server has this very file in its memory.
    writeFileSync(this.#fileOf(clock), bytes, { flag: 'r+' });
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #fileOf(clock: string): string {
    return join(this.#folder, clock);
  }
}
