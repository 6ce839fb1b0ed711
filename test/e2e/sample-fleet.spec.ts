import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { NpmScript } from '../support/npm-script.js';

/** A build, a start, and three ticks of 5 s, on a slow machine. */
const AT_MOST = 180_000;

describe('three shops on one Redis', () => {
  let foldersBefore: readonly string[];
  beforeEach(() => {
    foldersBefore = folders();
  });

  it(
    'sell what there is, load once, charge once and report once a tick',
    async () => {
      const fleet = startFleet();
      expect(await fleet.ended, fleet.output).toBe(0);
      expect(fleet.output).toMatch(/flash sale.* 100 +100 +\d+\n/);
      expect(fleet.output).toMatch(/catalog.* 1 +1 +\d+\n/);
      expect(fleet.output).toMatch(/payment.* 1 +1 +\d+\n/);
      expect(fleet.output).toMatch(/reports.* 3 +3 +-\n/);
      expect(fleet.output).toContain('All as promised.');
      await nothingIsLeftOf(fleet);
    },
    AT_MOST,
  );

  it(
    'end with Ctrl+C, and leave nothing behind',
    async () => {
      const fleet = startFleet();
      await fleet.printed(/They are open: .*\n/);
      for (const url of addressesOf(fleet)) expect((await fetch(url)).status).toBe(200);
      fleet.signal('SIGINT');
      expect(await fleet.ended).not.toBe(0);
      await nothingIsLeftOf(fleet);
    },
    AT_MOST,
  );

  async function nothingIsLeftOf(fleet: NpmScript): Promise<void> {
    for (const url of addressesOf(fleet)) await expect(fetch(url)).rejects.toThrow('fetch failed');
    expect(folders()).toEqual(foldersBefore); // that of Redis is removed when Redis has ended
  }
});

function startFleet(): NpmScript {
  const fleet = new NpmScript(['run', 'sample:fleet']);
  onTestFinished(() => fleet.signal('SIGKILL'));
  return fleet;
}

function addressesOf(fleet: NpmScript): readonly string[] {
  const addresses = fleet.output.match(/http:\S+/g) ?? [];
  expect(addresses).toHaveLength(3);
  return addresses;
}

function folders(): readonly string[] {
  return readdirSync(tmpdir()).filter((name) => name.startsWith('shops-'));
}
