import { currentLock, DistributedLock, LockHold, type LockService } from 'nestjs-distributed-lock';
import { LockedCron, LockedInterval } from 'nestjs-distributed-lock/schedule';
import { Observable, of } from 'rxjs';
import { expectTypeOf } from 'vitest';

interface Order {
  readonly id: string;
}

// All of this compiles.

export class Accepted {
  @DistributedLock()
  async noOptions(): Promise<number> {
    return 1;
  }

  @DistributedLock({ key: 'order:{id}' })
  async template(_id: string): Promise<void> {}

  @DistributedLock({ key: (id: string) => `order:${id}` })
  async keyOfFewerParameters(_id: string, _line: number): Promise<void> {}

  @DistributedLock({ key: () => 'orders' })
  async keyOfNoParameters(_id: string): Promise<void> {}

  @DistributedLock({
    key: (order: { id: string }, lines: readonly number[]) => lines.map((l) => order.id + l),
  })
  async keysOfWiderParameters(_order: Order, _lines: number[]): Promise<void> {}

  @DistributedLock({ key: (...ids: string[]) => ids })
  async keysOfRestParameters(..._ids: string[]): Promise<void> {}

  @DistributedLock({ key: (id?: string) => `order:${id ?? 'all'}` })
  async optionalParameter(_id?: string): Promise<void> {}

  @DistributedLock({ onBusy: 'skip' })
  async skipOfVoid(): Promise<void> {}

  @DistributedLock({ onBusy: 'skip' })
  async skipOfUndefined(): Promise<Order | undefined> {
    return undefined;
  }

  @DistributedLock({ onBusy: 'throw' })
  async throwing(): Promise<Order> {
    return { id: '1' };
  }

  @DistributedLock({ key: 'order:{id}', onBusy: (id: string) => ({ id }) })
  async fallbackOfArguments(id: string, _line: number): Promise<Order> {
    return { id };
  }

  @DistributedLock({ onBusy: async () => 0 })
  async asyncFallback(): Promise<number> {
    return 1;
  }

  @DistributedLock({ key: 'order:{id}' })
  observable(id: string): Observable<string> {
    return of(id);
  }

  @DistributedLock({ onBusy: 'skip' })
  observableWithSkip(): Observable<number | undefined> {
    return of(1);
  }

  @DistributedLock({ onBusy: (id: string) => of(id) })
  observableWithFallback(id: string): Observable<string> {
    return of(id);
  }

  @DistributedLock({ ttl: 1500, wait: 0, minHold: '250ms', maxHold: '1.5h' })
  async durations(): Promise<void> {}

  @DistributedLock({
    ttl: '30s',
    wait: '5m',
    renew: false,
    mode: 'shared',
    store: 'billing',
    onUnavailable: 'run',
  })
  async everyOption(): Promise<void> {}

  @DistributedLock({ key: 'generic:{id}' })
  async generic<T>(_id: string, value: T): Promise<T> {
    return value;
  }

  @DistributedLock({ key: 'private' })
  protected async notPublic(): Promise<void> {}
}

export class AcceptedJobs {
  @LockedCron('0 3 * * *')
  async noOptions(): Promise<void> {}

  @LockedCron(new Date(), {
    key: 'job',
    ttl: '1m',
    minHold: '1h',
    maxHold: '2h',
    onOverlap: 'wait',
    onUnavailable: 'run',
    store: 'billing',
    name: 'job',
    timeZone: 'Europe/Berlin',
    disabled: true,
  })
  async everyOption(): Promise<void> {}

  @LockedCron('0 3 * * *', { utcOffset: 60 })
  async parametersThatNeedNotBeGiven(_force?: boolean): Promise<void> {}

  @LockedInterval('30s', { name: 'poll', onOverlap: 'skip' })
  async interval(): Promise<undefined> {}

  @LockedInterval(1_500)
  protected async notPublic(): Promise<void> {}
}

export async function accepted(locks: LockService): Promise<void> {
  expectTypeOf(await locks.run('key', () => 1)).toEqualTypeOf<number>();
  expectTypeOf(await locks.run('key', async () => 'done', { ttl: '1s' })).toEqualTypeOf<string>();
  expectTypeOf(await locks.run('key', () => 1, { onBusy: 'throw' })).toEqualTypeOf<number>();
  expectTypeOf(await locks.run('key', () => 1, { onBusy: 'skip' })).toEqualTypeOf<number | undefined>();
  expectTypeOf(await locks.run(['a', 'b'], async () => 1, { onBusy: () => false })).toEqualTypeOf<
    number | boolean
  >();
  expectTypeOf(await locks.run('key', () => 1, { onBusy: async () => 'later' })).toEqualTypeOf<
    number | string
  >();

  await using hold = await locks.acquire(['a', 'b'], { signal: AbortSignal.timeout(1_000) });
  expectTypeOf(hold).toEqualTypeOf<LockHold>();
  expectTypeOf(hold.fencingToken).toEqualTypeOf<number>();
  expectTypeOf(hold.signal).toEqualTypeOf<AbortSignal>();
  expectTypeOf(await hold.run(async () => 1)).toEqualTypeOf<number>();

  await using perhaps = await locks.tryAcquire('key');
  expectTypeOf(perhaps).toEqualTypeOf<LockHold | null>();
  expectTypeOf(currentLock('key')).toEqualTypeOf<LockHold>();
}
