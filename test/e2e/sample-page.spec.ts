import { mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, BrowserContextOptions } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { openPage, startBrowser } from '../support/browser.js';
import { SamplePage } from '../support/sample-page.js';
import { type SampleShop, startSampleShop } from '../support/sample-shop.js';

/** `UPDATE_SCREENSHOTS=1` renews those of the docs; otherwise they are for whoever wants to look. */
const SCREENSHOTS = process.env.UPDATE_SCREENSHOTS
  ? fileURLToPath(new URL('../../docs/images/', import.meta.url))
  : join(tmpdir(), 'sample-screenshots');

/** A build and a start, or every button of the page, on a slow machine. */
const A_LONG_TIME = 120_000;

let shop: SampleShop;
let browser: Browser;

beforeAll(async () => {
  mkdirSync(SCREENSHOTS, { recursive: true });
  shop = await startSampleShop();
  browser = await startBrowser();
}, A_LONG_TIME);
afterAll(async () => {
  await browser?.close();
  await shop?.stop();
});

/** The page, which must not complain until the test has ended. */
async function open(options?: BrowserContextOptions): Promise<SamplePage> {
  const { page, complaints } = await openPage(browser, shop.url, options);
  onTestFinished(() => expect(complaints).toEqual([]));
  return new SamplePage(page);
}

describe("the sample's page, in memory", () => {
  it('sells what there is with the lock, and more without it', async () => {
    const sample = await open();
    expect(await sample.run('sale', true)).toMatchObject({ sold: '100', oversold: '0' });
    const unlocked = await sample.run('sale', false);
    expect(Number(unlocked.oversold)).toBeGreaterThan(0);
    expect(Number(unlocked.sold)).toBe(100 + Number(unlocked.oversold));
  });

  it('writes one report when three instances come to a tick', async () => {
    const sample = await open();
    expect(await sample.run('reports')).toEqual({ calls: '3', reports: '1' });
    const latest = await sample.page.locator('[data-live=reports] time').allTextContents();
    expect(latest.length).toBeGreaterThan(0);
    expect(new Set(latest).size).toBe(latest.length);
  });

  it('loads a product once with the lock, and more often without it', async () => {
    const sample = await open();
    expect(await sample.run('catalog', true)).toMatchObject({ requests: '200', loads: '1' });
    expect(Number((await sample.run('catalog', false)).loads)).toBeGreaterThan(1);
  });

  it('charges a double click once with the lock, and twice without it', async () => {
    const sample = await open();
    expect(await sample.run('payment', true)).toEqual({ clicks: '2', charges: '1' });
    expect(await sample.run('payment', false)).toEqual({ clicks: '2', charges: '2' });
  });

  it('refuses the write of a holder that slept', async () => {
    const { lateToken = '', token = '', refusal } = await (await open()).run('fencing');
    expect(Number(token)).toBeGreaterThan(Number(lateToken));
    expect(refusal).toContain(`token ${lateToken} is older than ${token}`);
  });

  it('shows a lock while it is held, and no more when it is released', async () => {
    const sample = await open();
    await sample.button('fencing').click();
    const row = sample.lock('order:');
    await row.waitFor();
    expect(await row.locator('[data-label=holder]').textContent()).toMatch(/^[0-9a-f]{8}:\d+$/);
    expect(await row.locator('[data-label=token]').textContent()).toMatch(/^\d{16}$/);
    expect(await row.locator('[data-label=waiting]').textContent()).toMatch(/^[01]$/);
    await sample.isReady('fencing');
    await row.waitFor({ state: 'detached' });
  });

  it('works with the keyboard, and leaves the focus where it was', async () => {
    const sample = await open();
    await sample.button('payment').focus();
    await sample.page.keyboard.press('Enter');
    await sample.isReady('payment');
    expect(await sample.page.evaluate('document.activeElement.closest("[data-card]")?.dataset.card')).toBe(
      'payment',
    );
  });
});

describe('the page with all results', () => {
  const screens = [
    { name: 'sample-light', width: 1280, height: 900, colorScheme: 'light' },
    { name: 'sample-dark', width: 1280, height: 900, colorScheme: 'dark' },
    { name: 'sample-phone', width: 375, height: 812, colorScheme: 'light' },
  ] as const;

  it(
    'fits on wide and narrow screens, and nothing is cut off',
    async () => {
      const sample = await open();
      for (const card of ['sale', 'catalog', 'payment'] as const) {
        await sample.run(card, true);
        await sample.run(card, false);
      }
      await sample.run('reports');
      await sample.run('fencing');
      for (const { name, colorScheme, ...size } of screens) {
        await sample.page.setViewportSize(size);
        await sample.page.emulateMedia({ colorScheme });
        // So that there are locks to be seen.
        const elsewhere = ['/orders/paused-shipment', '/sales/lamp'].map((path) => post(path));
        await sample.lock('order:').waitFor();
        await sample.page.screenshot({ path: join(SCREENSHOTS, `${name}.png`), fullPage: true });
        expect(await overflowing(sample), name).toEqual([]);
        await Promise.all(elsewhere);
      }
    },
    A_LONG_TIME,
  );

  it('is dark for one who wants it dark', async () => {
    const brightness = async (colorScheme: 'light' | 'dark') => {
      const { page } = await open({ colorScheme });
      const color = await page.evaluate<string>('getComputedStyle(document.body).backgroundColor');
      return Math.max(...(color.match(/\d+/g) ?? []).map(Number));
    };
    expect(await brightness('light')).toBeGreaterThan(200);
    expect(await brightness('dark')).toBeLessThan(50);
  });
});

async function post(path: string): Promise<void> {
  await (await fetch(shop.url + path, { method: 'POST' })).text();
}

/** Elements whose content is cut off or hangs out of them; the whole page, if it has to be scrolled sideways. */
function overflowing({ page }: SamplePage): Promise<readonly string[]> {
  return page.evaluate<readonly string[]>(
    `[...document.querySelectorAll('*')]
      .filter((element) => element.clientWidth > 0 && element.scrollWidth > element.clientWidth)
      .map((element) => element.outerHTML.slice(0, 80))`,
  );
}
