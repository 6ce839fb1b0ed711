import { setTimeout as pause } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';

/** Stands for a slow service of somebody else. */
@Injectable()
export class CarrierClient {
  /** Takes a second, or stops when the signal aborts. */
  async book(_orderId: string, signal: AbortSignal): Promise<void> {
    await pause(1_000, undefined, { signal });
  }
}
