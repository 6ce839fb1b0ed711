import { expect, it } from '@jest/globals';
import { Test } from '@nestjs/testing';
import { LockModule, LockUnavailableError } from 'nestjs-distributed-lock';
import { ControllableStore } from 'nestjs-distributed-lock/testing';
import { examine } from './examine.js';
import { OrdersService } from './orders.service.js';

it('runs the application', async () => {
  // Not through console.log, which Jest decorates.
  process.stdout.write(JSON.stringify(await examine()));
}, 30_000);

it('loads the CommonJS build', () => {
  expect(require.resolve('nestjs-distributed-lock')).toMatch(/dist.cjs.index\.js$/);
  expect(require.resolve('nestjs-distributed-lock/testing')).toMatch(/dist.cjs.testing.index\.js$/);
});

it('has a store for tests', async () => {
  const store = new ControllableStore();
  const app = await Test.createTestingModule({
    imports: [LockModule.forRoot({ store })],
    providers: [OrdersService],
  }).compile();
  store.goDown();
  await expect(app.get(OrdersService).ship('1')).rejects.toThrow(LockUnavailableError);
  await app.close();
});
