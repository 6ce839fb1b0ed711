import { setTimeout as pause } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Database } from './database.js';
import { StaleWriteError } from './stale-write.error.js';

interface Row {
  /** JSON, so that nobody changes what was written. */
  readonly value: string;
  /** The largest token with which it was written. */
  readonly fence: number;
}

/** As slow as a database would be, so that others get their turn in between. */
const MILLISECONDS = 1;

@Injectable()
export class MemoryDatabase extends Database {
  readonly #rows = new Map<string, Row>();
  readonly #counts = new Map<string, number>();

  override async read<T>(key: string): Promise<T | undefined> {
    await pause(MILLISECONDS);
    const row = this.#rows.get(key);
    return row && (JSON.parse(row.value) as T);
  }

  override async write(key: string, value: unknown): Promise<void> {
    await pause(MILLISECONDS);
    this.#rows.set(key, { value: JSON.stringify(value), fence: this.#fenceOf(key) });
  }

  override async writeFenced(key: string, value: unknown, fencingToken: number): Promise<void> {
    await pause(MILLISECONDS);
    const fence = this.#fenceOf(key);
    if (fencingToken < fence) throw new StaleWriteError(key, fencingToken, fence);
    this.#rows.set(key, { value: JSON.stringify(value), fence: fencingToken });
  }

  override async increment(key: string): Promise<number> {
    await pause(MILLISECONDS);
    const count = (this.#counts.get(key) ?? 0) + 1;
    this.#counts.set(key, count);
    return count;
  }

  override async count(key: string): Promise<number> {
    await pause(MILLISECONDS);
    return this.#counts.get(key) ?? 0;
  }

  #fenceOf(key: string): number {
    return this.#rows.get(key)?.fence ?? 0;
  }
}
