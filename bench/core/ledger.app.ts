import { Injectable, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { DistributedLock, LockModule, LockService, memoryStore } from 'nestjs-distributed-lock';

/** One method, bare and locked: whatever differs between the two is the lock's. */
@Injectable()
class Ledger {
  async bare(account: string): Promise<string> {
    return account;
  }

  @DistributedLock({ key: 'account:{account}' })
  async locked(account: string): Promise<string> {
    return account;
  }

  /** Holds the account's lock while the work goes on. */
  @DistributedLock({ key: 'account:{account}' })
  async holding(account: string, work: (account: string) => Promise<void>): Promise<void> {
    await work(account);
  }
}

@Module({ imports: [LockModule.forRoot({ store: memoryStore() })], providers: [Ledger] })
class LedgerModule {}

export interface LedgerApp {
  readonly ledger: Ledger;
  readonly locks: LockService;
}

/** Runs a measurement against a Nest application with a memory store of its own. */
export async function withLedger<R>(measure: (app: LedgerApp) => Promise<R>): Promise<R> {
  const app = await NestFactory.createApplicationContext(LedgerModule, { logger: false });
  try {
    return await measure({ ledger: app.get(Ledger), locks: app.get(LockService) });
  } finally {
    await app.close();
  }
}
