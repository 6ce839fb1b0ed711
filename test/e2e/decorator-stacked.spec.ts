import { Injectable } from '@nestjs/common';
import { lastValueFrom, Observable, of } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { currentLock, DistributedLock, LockBusyError } from '../../lib/index.js';
import { bootWith } from '../support/boot-app.js';
import { errorOf } from '../support/deferred.js';

@Injectable()
class Transfers {
  @DistributedLock({ key: 'account:{from}', wait: 0 })
  @DistributedLock({ key: 'account:{to}', wait: 0 })
  async transfer(from: string, to: string): Promise<readonly string[]> {
    return [currentLock(`account:${from}`).key, currentLock(`account:${to}`).key];
  }

  @DistributedLock({ key: 'stream:{0}' })
  @DistributedLock({ key: 'stream:{name}:inner' })
  stream(name: string): Observable<string> {
    return of(currentLock(`stream:${name}`).key, currentLock().key);
  }
}

describe('two decorators on one method', () => {
  it('5. take both keys, each by the names of the parameters', async () => {
    const { service, log, locks } = await bootWith(Transfers);
    expect(await service.transfer('a', 'b')).toEqual(['account:a', 'account:b']);
    expect(log.of('onAcquired').map(({ key }) => key)).toEqual(['account:a', 'account:b']);
    expect(log.of('onReleased').map(({ key }) => key)).toEqual(['account:b', 'account:a']);
    expect(await locks.inspect('account:a')).toBeNull();
    expect(Transfers.prototype.transfer).toHaveLength(2);
    expect(Transfers.prototype.transfer.name).toBe('transfer');
  });

  it('5. give the outer key back when the inner one is busy', async () => {
    const { service, store, locks } = await bootWith(Transfers);
    await store.holdElsewhere('account:b');
    const error = await errorOf(service.transfer('a', 'b'));
    expect(error).toBeInstanceOf(LockBusyError);
    expect(error).toHaveProperty('key', 'account:b');
    expect(await locks.inspect('account:a')).toBeNull();
  });

  it('5. of the same key re-enter it (peers.md 20)', async () => {
    const { service, log } = await bootWith(Transfers);
    expect(await service.transfer('a', 'a')).toEqual(['account:a', 'account:a']);
    expect(log.names).toEqual(['onAcquired', 'onReleased']);
  });

  it('6. work on Observables too', async () => {
    const { service, log } = await bootWith(Transfers);
    expect(await lastValueFrom(service.stream('x'))).toBe('stream:x:inner');
    expect(log.of('onAcquired').map(({ key }) => key)).toEqual(['stream:x', 'stream:x:inner']);
  });
});
