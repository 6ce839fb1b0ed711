import { setTimeout as sleep } from 'node:timers/promises';

/** Thrown by a check where asking again is of no use. */
export class InVain extends Error {}

/** Asks until the answer is true; a rejection counts as false. What has not come by 20 s never will. */
export async function until(what: string, check: () => Promise<boolean>, atMost = 20_000): Promise<void> {
  const end = Date.now() + atMost;
  let cause: unknown;
  while (Date.now() < end) {
    try {
      if (await check()) return;
      cause = undefined;
    } catch (error) {
      if (error instanceof InVain) throw error;
      cause = error;
    }
    await sleep(20);
  }
  throw new Error(`waited ${atMost} ms in vain until ${what}`, { cause });
}
