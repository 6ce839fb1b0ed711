import type { INestApplication } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AppModule } from '../../sample-app/app.module.js';
import type { LockTable } from '../../sample-app/locks/lock-table.service.js';
import type { Order } from '../../sample-app/orders/order.entity.js';
import type { PausedShipment } from '../../sample-app/orders/paused-shipment.service.js';
import { html } from '../../sample-app/page/html.js';
import type { Receipt } from '../../sample-app/payments/payment.service.js';
import { until } from '../support/redis/until.js';

let app: INestApplication;
let url: string;

beforeAll(async () => {
  const module = await Test.createTestingModule({ imports: [AppModule] }).compile();
  app = module.createNestApplication({ logger: false });
  await app.listen(0, '127.0.0.1');
  url = await app.getUrl();
});
afterAll(() => app.close());

function ask(method: 'GET' | 'POST', path: string, headers: Record<string, string> = {}) {
  return fetch(url + path, { method, headers });
}

async function answerTo<T>(...request: Parameters<typeof ask>): Promise<T> {
  return (await (await ask(...request)).json()) as T;
}

async function statusOf(...request: Parameters<typeof ask>): Promise<number> {
  return (await ask(...request)).status;
}

async function lockOf(key: string) {
  const { rows } = await answerTo<LockTable>('GET', '/locks');
  return rows.find((row) => row.key === key);
}

describe("the sample's orders", () => {
  it('are charged and shipped inside one lock, and once', async () => {
    const { id } = await answerTo<Order>('POST', '/orders');
    const both = await Promise.all([1, 2].map(() => answerTo<Order>('POST', `/orders/${id}/ship`)));
    expect(both[0]).toEqual(both[1]);
    expect(both[0]).toMatchObject({ status: 'shipped' });
    const fence = both[0]?.fence;
    expect(both[0]?.history).toEqual([`paid with token ${fence}`, `shipped with token ${fence}`]);
    expect(await answerTo('GET', `/orders/${id}`)).toEqual(both[0]);
    expect(await statusOf('POST', `/orders/${id}/cancel`)).toBe(409);
  });

  it('cannot be cancelled while they are shipped: 423', async () => {
    const { id } = await answerTo<Order>('POST', '/orders');
    const shipping = statusOf('POST', `/orders/${id}/ship`);
    await until('the order is locked', async () => (await lockOf(`order:${id}`)) !== undefined);
    const refused = await ask('POST', `/orders/${id}/cancel`);
    expect(refused.status).toBe(423);
    expect(refused.headers.get('Retry-After')).toBe('1');
    expect(await shipping).toBe(200);
  });

  it('keep nothing of the write of a holder that slept', async () => {
    const { order, lateToken, token } = await answerTo<PausedShipment>('POST', '/orders/paused-shipment');
    expect(lateToken).toBeLessThan(token);
    expect(order.history).toEqual([`paid with token ${token}`, `shipped with token ${token}`]);
    expect(await answerTo('GET', `/orders/${order.id}`)).toEqual(order);
  });

  it('that do not exist are a 404', async () => {
    expect(await statusOf('POST', '/orders/none/ship')).toBe(404);
  });
});

describe("the sample's payments", () => {
  const pay = (key: string) => answerTo<Receipt>('POST', '/payments?amount=7', { 'Idempotency-Key': key });

  it('give every attempt the receipt of the first', async () => {
    const receipts = [...(await Promise.all([pay('a'), pay('a')])), await pay('a')];
    expect(new Set(receipts.map(({ charge }) => charge)).size).toBe(1);
    expect(receipts[0]?.amount).toBe(7);
  });

  it('with different keys are different ones', async () => {
    const [one, other] = await Promise.all([pay('b'), pay('c')]);
    expect(one?.charge).not.toBe(other?.charge);
  });

  it('without a key are a 400', async () => {
    expect(await statusOf('POST', '/payments')).toBe(400);
  });
});

describe("the sample's sales", () => {
  it('of one item come one after another, and each sells what there is', async () => {
    const sales = await Promise.all([1, 2].map(() => answerTo('POST', '/sales/chair?buyers=150')));
    expect(sales).toEqual([
      expect.objectContaining({ sold: 100, oversold: 0 }),
      expect.objectContaining({ sold: 100, oversold: 0 }),
    ]);
  });

  it('show how many wait', async () => {
    const sale = answerTo('POST', '/sales/table');
    await until('hundreds wait', async () => ((await lockOf('stock:table'))?.waiting ?? 0) > 300);
    expect(await sale).toMatchObject({ sold: 100 });
    expect(await lockOf('stock:table')).toBeUndefined();
  });

  it.each(['0', '1001', '1.5', 'many'])('with %s buyers are a 400', async (buyers) => {
    expect(await statusOf('POST', `/sales/chair?buyers=${buyers}`)).toBe(400);
  });
});

describe("the sample's catalog", () => {
  it('has a product loaded once, and then in the cache', async () => {
    expect(await answerTo('POST', '/catalog/vase/rush?requests=20')).toMatchObject({ loads: 1 });
    expect(await answerTo('POST', '/catalog/vase/rush?requests=20')).toMatchObject({ loads: 1 });
    expect(await answerTo('GET', '/catalog/vase')).toEqual({ id: 'vase', price: 4_900 });
  });
});

it("the sample's page escapes what is not HTML", () => {
  const list = [html`<b>${'<i>'}</b>`, html`<b>${2}</b>`];
  expect(html`<p title="${`"'&`}">${list}</p>`.text).toBe(
    '<p title="&#34;&#39;&#38;"><b>&#60;i&#62;</b><b>2</b></p>',
  );
});
