import type { Locator, Page } from 'playwright-core';

type Card = 'sale' | 'reports' | 'catalog' | 'payment' | 'fencing';

/** The sample's page, as one who sits before it uses it. */
export class SamplePage {
  constructor(readonly page: Page) {}

  /** Presses a button, waits for the answer, and gives the fields of the result. */
  async run(card: Card, locked = true): Promise<Readonly<Record<string, string>>> {
    await this.button(card, locked).click();
    await this.isReady(card);
    return this.#fields(card, locked);
  }

  button(card: Card, locked = true): Locator {
    return this.page.locator(`[data-card=${card}] button[data-locked=${locked}]`);
  }

  /** Resolves when the card's buttons can be pressed again. */
  async isReady(card: Card): Promise<void> {
    await this.page.locator(`[data-card=${card}] button:enabled`).first().waitFor();
  }

  /** The row of a lock whose key begins so. */
  lock(prefix: string): Locator {
    return this.page.locator(`[data-live=locks] tr[data-key^="${prefix}"]`);
  }

  error(card: Card): Locator {
    return this.page.locator(`[data-card=${card}] .error`);
  }

  /** `live`, or `no answer`. */
  async waitForPulse(state: string): Promise<void> {
    await this.page.locator(`[data-pulse="${state}"]`).waitFor();
  }

  async #fields(card: Card, locked: boolean): Promise<Readonly<Record<string, string>>> {
    const fields: Record<string, string> = {};
    const found = this.page.locator(`[data-card=${card}] .result[data-locked=${locked}] [data-field]`);
    for (const field of await found.all()) {
      fields[(await field.getAttribute('data-field')) ?? ''] = (await field.textContent()) ?? '';
    }
    return fields;
  }
}
