import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openPage, startBrowser } from '../support/browser.js';
import { RedisServer } from '../support/redis/redis-server.js';
import { SamplePage } from '../support/sample-page.js';
import { type SampleShop, startSampleShop } from '../support/sample-shop.js';

/** A build, and a start, on a slow machine. */
const TIME_TO_START = 120_000;

let server: RedisServer;
let shop: SampleShop;
let browser: Browser;

beforeAll(async () => {
  server = await RedisServer.start();
  shop = await startSampleShop({ REDIS_URL: server.url });
  browser = await startBrowser();
}, TIME_TO_START);
afterAll(async () => {
  await browser?.close();
  await shop?.stop();
  await server?.stop();
});

it("the sample's page, on Redis, tells when Redis is away, and goes on when it is back", async () => {
  const { page } = await openPage(browser, shop.url);
  const sample = new SamplePage(page);
  expect(await page.locator('header').textContent()).toContain(`Redis at ${server.url}`);
  expect(await sample.run('sale')).toMatchObject({ sold: '100', oversold: '0' });

  await server.kill();
  await sample.waitForPulse('no answer');
  await sample.button('sale').click();
  await sample.error('sale').waitFor();
  expect(await sample.error('sale').textContent()).toContain('503');

  await server.restart();
  await sample.waitForPulse('live');
  expect(await sample.run('sale')).toMatchObject({ sold: '100', oversold: '0' });
  expect(await sample.error('sale').isVisible()).toBe(false);
});
