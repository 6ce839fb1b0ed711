import { DistributedLock, LockModule, type LockService } from 'nestjs-distributed-lock';
import { LockedCron, LockedInterval } from 'nestjs-distributed-lock/schedule';

// None of this compiles. Each comment says what the compiler has to say about the line below it: `npm run
// typecheck` sees to it that there is an error, and types.spec.ts that it is that one.

declare const flag: boolean;

export class Rejected {
  // @ts-expect-error the key function does not take the arguments of this method
  @DistributedLock({ key: (id: number) => `order:${id}` })
  async keyOfAnotherType(_id: string): Promise<void> {}

  // @ts-expect-error the key function does not take the arguments of this method
  @DistributedLock({ key: (id: string, line: number) => `order:${id}:${line}` })
  async keyOfMoreParameters(_id: string): Promise<void> {}

  // @ts-expect-error Type 'number' is not assignable to type 'string | readonly string[]'
  @DistributedLock({ key: (id: string) => id.length })
  async keyThatIsNoString(_id: string): Promise<void> {}

  // @ts-expect-error Type 'number' is not assignable to type
  @DistributedLock()
  notAsync(): number {
    return 1;
  }

  // @ts-expect-error Promise<unknown>
  @DistributedLock()
  async *generator(): AsyncGenerator<number> {
    yield 1;
  }

  // @ts-expect-error onBusy 'skip' gives undefined, which this method cannot return
  @DistributedLock({ onBusy: 'skip' })
  async skipOfNumber(): Promise<number> {
    return 1;
  }

  // @ts-expect-error the onBusy function does not take the arguments of this method, or gives another result
  @DistributedLock({ onBusy: () => 'later' })
  async fallbackOfAnotherResult(): Promise<number> {
    return 1;
  }

  // @ts-expect-error the onBusy function does not take the arguments of this method, or gives another result
  @DistributedLock({ onBusy: (id: number) => id })
  async fallbackOfAnotherParameter(_id: string): Promise<number> {
    return 1;
  }

  // @ts-expect-error onBusy 'skip' gives undefined, which this method cannot return
  @DistributedLock({ onBusy: flag ? 'skip' : 'throw' })
  async sometimesSkipOfNumber(): Promise<number> {
    return 1;
  }

  // @ts-expect-error the key function does not take the arguments of this method
  @DistributedLock({ key: flag ? 'orders' : (id: number) => `order:${id}` })
  async sometimesKeyOfAnotherType(_id: string): Promise<void> {}

  // @ts-expect-error Type '"10 sec"' is not assignable to type 'Duration | undefined'
  @DistributedLock({ ttl: '10 sec' })
  async unknownUnit(): Promise<void> {}

  // @ts-expect-error Type '"10"' is not assignable to type 'Duration | undefined'
  @DistributedLock({ wait: '10' })
  async noUnit(): Promise<void> {}

  // @ts-expect-error 'tll' does not exist in type 'DistributedLockOptions
  @DistributedLock({ key: 'order', tll: '10s' })
  async misspelt(): Promise<void> {}

  // @ts-expect-error not assignable to type 'LockMode | undefined'
  @DistributedLock({ mode: 'read' })
  async unknownMode(): Promise<void> {}

  // @ts-expect-error not assignable to type 'OnUnavailable | undefined'
  @DistributedLock({ onUnavailable: 'skip' })
  async unknownFallback(): Promise<void> {}
}

export class RejectedJobs {
  // @ts-expect-error Type 'Promise<number>' is not assignable to type 'Promise<void>'
  @LockedCron('0 3 * * *')
  async jobThatGivesSomething(): Promise<number> {
    return 1;
  }

  // @ts-expect-error Type 'void' is not assignable to type 'Promise<void>'
  @LockedCron('0 3 * * *')
  jobThatIsNotAsync(): void {}

  // @ts-expect-error is not assignable to type '() => Promise<void>'
  @LockedInterval('30s')
  async jobThatTakesSomething(_id: string): Promise<void> {}

  // @ts-expect-error 'tll' does not exist in type
  @LockedCron('0 3 * * *', { tll: '10s' })
  async unknownOptionOfJob(): Promise<void> {}

  // @ts-expect-error Type '"queue"' is not assignable to type 'OnOverlap | undefined'
  @LockedCron('0 3 * * *', { onOverlap: 'queue' })
  async unknownOverlap(): Promise<void> {}

  // @ts-expect-error Type 'number' is not assignable to type 'undefined'
  @LockedCron('0 3 * * *', { timeZone: 'UTC', utcOffset: 0 })
  async zoneAndOffset(): Promise<void> {}

  // @ts-expect-error Argument of type '"30 sec"' is not assignable to parameter of type 'Duration'
  @LockedInterval('30 sec')
  async noInterval(): Promise<void> {}

  // @ts-expect-error 'minHold' does not exist in type 'LockedIntervalOptions'
  @LockedInterval('30s', { minHold: '5s' })
  async optionOfCron(): Promise<void> {}
}

export async function rejected(locks: LockService): Promise<void> {
  // @ts-expect-error Type 'undefined' is not assignable to type 'number'
  const _skipped: number = await locks.run('key', () => 1, { onBusy: 'skip' });

  // @ts-expect-error Type 'string' is not assignable to type 'number'
  const _fallback: number = await locks.run('key', () => 1, { onBusy: () => 'later' });

  // @ts-expect-error 'tll' does not exist in type 'RunOptions
  await locks.run('key', () => 1, { tll: '10s' });

  // @ts-expect-error Type '"10 sec"' is not assignable to type 'Duration | undefined'
  await locks.acquire('key', { ttl: '10 sec' });

  // @ts-expect-error 'wait' does not exist in type 'TryAcquireOptions'
  await locks.tryAcquire('key', { wait: '1s' });

  // @ts-expect-error 'hold' is possibly 'null'
  await locks.tryAcquire('key').then((hold) => hold.release());
}

// @ts-expect-error 'isglobal' does not exist in type
LockModule.forRoot({ isglobal: false });
