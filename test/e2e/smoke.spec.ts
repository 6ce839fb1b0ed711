import { Injectable } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { expect, it } from 'vitest';
import { currentLock, DistributedLock, LockModule, LockService, memoryStore } from '../../lib/index.js';

@Injectable()
class Orders {
  @DistributedLock({ key: 'order:{id}' })
  async ship(id: string): Promise<number> {
    await this.again(id);
    return currentLock().fencingToken;
  }
  @DistributedLock({ key: 'order:{id}' })
  async again(id: string): Promise<number> {
    return currentLock(`order:${id}`).fencingToken;
  }
}

it('works', async () => {
  const module = await Test.createTestingModule({
    imports: [LockModule.forRoot({ store: memoryStore() })],
    providers: [Orders],
  }).compile();
  await module.init();
  const orders = module.get(Orders);
  const tokens = await Promise.all([1, 2, 3].map(() => orders.ship('7')));
  expect(tokens[0]).toBeLessThan(Number(tokens[1]));
  const locks = module.get(LockService);
  expect(await locks.inspect('order:7')).toBeNull();
  await expect(orders.ship('')).rejects.toThrow(/empty string/);
  expect(await locks.run(['b', 'a'], () => currentLock('a').fencingToken)).toBeGreaterThan(0);
  await module.close();
});
