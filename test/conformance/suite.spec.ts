import { describe, expect, it } from 'vitest';
import { memoryStore } from '../../lib/index.js';
import { brokenStore, type Flaw, grantFlaws } from '../support/broken-stores.js';
import { endingFlaws } from '../support/broken-stores-ending.js';
import { modeFlaws } from '../support/broken-stores-modes.js';
import { waitingFlaws } from '../support/broken-stores-waiting.js';
import { collectFailures, collectTests } from '../support/collect-failures.js';

const flaws: readonly Flaw[] = [...grantFlaws, ...modeFlaws, ...waitingFlaws, ...endingFlaws];

/** Of broken stores, some wait for what never comes. */
const HANGS_AFTER = 2_000;

function subjectOf(flaw?: Flaw) {
  const good = memoryStore();
  return {
    store: flaw ? brokenStore(good, flaw) : good,
    capabilities: good.capabilities,
    rawOwners: async (key: string) => (await good.inspect(key))?.holders.map(({ id }) => id) ?? [],
  };
}

describe('the conformance suite', () => {
  it('passes a good store, all tests at once', async () => {
    expect(await collectFailures(subjectOf())).toEqual([]);
  });

  it.concurrent.each(flaws.map((flaw) => [flaw.flaw, flaw] as const))(
    'catches a store that %s',
    async (_title, flaw) => {
      const failed = await collectFailures(subjectOf(flaw), HANGS_AFTER);
      expect(failed).toEqual(expect.arrayContaining([...flaw.noticedBy]));
    },
  );

  it('has no test that no broken store fails', () => {
    const noticing = new Set(flaws.flatMap(({ noticedBy }) => noticedBy));
    const titles = collectTests(subjectOf()).map(({ title }) => title);
    expect(titles.filter((title) => !noticing.has(title))).toEqual([]);
    expect([...noticing].filter((title) => !titles.includes(title))).toEqual([]);
  });

  it('asks of a store only what it says it can', () => {
    const { store, rawOwners } = subjectOf();
    const capabilities = {
      ...store.capabilities,
      fencing: false,
      fair: false,
      shared: false,
      permits: false,
      minHold: false,
    };
    const all = collectTests({ store, rawOwners }).map(({ title }) => title);
    const some = collectTests({ store, rawOwners, capabilities }).map(({ title }) => title);
    expect(some).toEqual(all.filter((title) => some.includes(title)));
    expect(all.filter((title) => !some.includes(title))).toHaveLength(12);
  });
});
