import { Injectable } from '@nestjs/common';
import { Observable, of, Subject } from 'rxjs';
import { currentLock, DistributedLock } from '../../lib/index.js';
import { deferred } from './deferred.js';

/** Streams under lock, of which the test is the source. */
@Injectable()
export class Feed {
  readonly source = new Subject<number>();
  readonly called = [deferred(), deferred()];
  calls = 0;

  @DistributedLock({ key: 'feed', ttl: '3s' })
  stream(): Observable<number> {
    this.called[this.calls]?.resolve();
    this.calls += 1;
    return this.source;
  }

  @DistributedLock({ key: 'numbers:{count}' })
  numbers(count: number): Observable<string> {
    return of(...Array.from({ length: count }, (_, index) => `${index} in ${currentLock().key}`));
  }

  @DistributedLock({ key: 'throws' })
  throwsAtOnce(error: Error): Observable<number> {
    throw error;
  }

  @DistributedLock({ key: 'either' })
  either(): Promise<number> | Observable<number> {
    return of(1);
  }
}

/** Subscribes and writes down what comes, until the end. */
export function listen<T>(stream: Observable<T>) {
  const values: T[] = [];
  const ended = deferred<unknown>();
  const subscription = stream.subscribe({
    next: (value) => values.push(value),
    error: ended.resolve,
    complete: () => ended.resolve('completed'),
  });
  return { values, ended: ended.promise, subscription };
}
