import { Injectable } from '@nestjs/common';
import { currentLock, DistributedLock } from 'nestjs-distributed-lock';
import { Database } from '../database/database.js';
import { BankClient } from './bank.client.js';

export interface Payment {
  /** The same for every attempt at one payment. */
  readonly idempotencyKey: string;
  readonly amount: number;
}

export interface Receipt {
  /** The number of the charge. */
  readonly charge: number;
  readonly amount: number;
}

@Injectable()
export class PaymentService {
  constructor(
    private readonly bank: BankClient,
    private readonly database: Database,
  ) {}

  /** Attempts at one payment come one after another, and all but the first get the first one's receipt. */
  @DistributedLock({ key: 'payment:{0.idempotencyKey}' })
  async pay(payment: Payment): Promise<Receipt> {
    const row = rowOf(payment);
    const { fencingToken } = currentLock();
    return this.#payOnce(payment, (receipt) => this.database.writeFenced(row, receipt, fencingToken));
  }

  /** The same without the lock: the second click comes before the first one's receipt. */
  async payUnlocked(payment: Payment): Promise<Receipt> {
    return this.#payOnce(payment, (receipt) => this.database.write(rowOf(payment), receipt));
  }

  async #payOnce(payment: Payment, keep: (receipt: Receipt) => Promise<void>): Promise<Receipt> {
    const earlier = await this.database.read<Receipt>(rowOf(payment));
    if (earlier) return earlier;
    const receipt = { charge: await this.bank.charge(payment.amount), amount: payment.amount };
    await keep(receipt);
    return receipt;
  }
}

function rowOf({ idempotencyKey }: Payment): string {
  return `payment:${idempotencyKey}`;
}
