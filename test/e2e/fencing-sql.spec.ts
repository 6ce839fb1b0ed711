import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { ensureDebianPackage } from '../support/debian-package.js';

const [ALTER = '', UPDATE = '', UPSERT = '', VERSIONED = ''] = [
  ...readFileSync(new URL('../../docs/fencing.md', import.meta.url), 'utf8').matchAll(/```sql\n(.*?)```/gs),
].map(([, sql = '']) => sql.replace(/;?\s*$/, ''));

/** As large as tokens are: a double must not round them. */
const TOKEN = 1_790_000_000_000_001;

const TABLE = `
CREATE TABLE orders (id TEXT PRIMARY KEY, status TEXT NOT NULL, version INTEGER NOT NULL DEFAULT 0);
${ALTER};
`;
const OPEN_ORDER = "INSERT INTO orders (id, status) VALUES ('42', 'open');";

/** Runs a statement of the docs on order 42, and prints how many rows it changed, and the status afterwards. */
function write(statement: string, status: string, number: number): string {
  const set = (name: string, value: string) => `.parameter set $${name} "${value}"\n`;
  return `${set('1', "'42'")}${set('2', `'${status}'`)}${set('3', String(number))}
${statement};
SELECT changes(), status FROM orders;
`;
}

function run(...parts: readonly string[]): readonly string[] {
  const input = [TABLE, ...parts].join('\n');
  return execFileSync('sqlite3', ['-bail', ':memory:'], { input, encoding: 'utf8' }).trim().split('\n');
}

describe('the SQL of docs/fencing.md', () => {
  beforeAll(() => ensureDebianPackage('sqlite3', 'sqlite3'));

  it('updates with an equal or a larger token, and with no smaller one', () => {
    const found = run(
      OPEN_ORDER,
      write(UPDATE, 'paid', TOKEN),
      write(UPDATE, 'packed', TOKEN),
      write(UPDATE, 'late', TOKEN - 1),
      write(UPDATE, 'shipped', TOKEN + 1),
    );
    expect(found).toEqual(['1|paid', '1|packed', '0|packed', '1|shipped']);
  });

  it('inserts or updates in the same way', () => {
    const found = run(
      write(UPSERT, 'paid', TOKEN),
      write(UPSERT, 'packed', TOKEN),
      write(UPSERT, 'late', TOKEN - 1),
      write(UPSERT, 'shipped', TOKEN + 1),
    );
    expect(found).toEqual(['1|paid', '1|packed', '0|packed', '1|shipped']);
  });

  it('writes once for each version that was read', () => {
    const found = run(OPEN_ORDER, write(VERSIONED, 'paid', 0), write(VERSIONED, 'late', 0));
    expect(found).toEqual(['1|paid', '0|paid']);
  });
});
