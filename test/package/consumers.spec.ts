import { execFile } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
const fixtures = fileURLToPath(new URL('./consumers/', import.meta.url));
const tsc = join(root, 'node_modules/@typescript/native/bin/tsc');

const { NEST } = process.env;
const versions = ['10', '11', '12'].filter((nest) => !NEST || NEST === nest);
if (versions.length === 0)
  throw new Error(`NEST is ${NEST}: it can be 10, 11, 12, or unset for all of them.`);

const route = {
  status: 202,
  header: 'yes',
  otherRole: 403,
  badId: 400,
  sameKey: 1,
  otherKeys: 2,
};
const expected = {
  service: { sameKey: 1, otherKeys: 2 },
  above: { ...route, body: { key: 'above:7', id: 7, note: 'fragile', shipped: '7' } },
  below: { ...route, body: { key: 'below:7', id: 7, note: 'fragile', shipped: '7' } },
  jobs: {
    registered: ['above', 'below', 'cron'],
    ran: ['Jobs.above', 'Jobs.below', 'Jobs.cron', 'Jobs.interval'],
  },
  run: 'report',
};

// The packed package, and beside it one folder for each Nest. Real, because Jest does not follow symbolic links.
const folder = mkdtempSync(join(realpathSync(tmpdir()), 'nestjs-distributed-lock-'));

beforeAll(async () => {
  if (!existsSync(join(root, 'dist/cjs/index.js')))
    throw new Error('There is no build: run `npm run build`.');
  await run('npm', ['pack', '--ignore-scripts', '--pack-destination', folder], root);
  const [tarball = ''] = readdirSync(folder);
  renameSync(join(folder, tarball), join(folder, 'package.tgz'));
});

afterAll(() => rmSync(folder, { recursive: true }));

describe.each(versions)('the package in an application of Nest %s', (nest) => {
  const app = join(folder, `nest-${nest}`);

  beforeAll(async () => {
    cpSync(join(fixtures, 'app'), app, { recursive: true });
    cpSync(join(fixtures, `nest-${nest}`), app, { recursive: true });
    console.log(`Nest ${nest}: installing`);
    await run('npm', ['install', '--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error'], app);
    console.log(`Nest ${nest}: compiling and running`);
    await run(process.execPath, [tsc], app);
  });

  it('is installed beside that Nest', () => {
    const { version } = JSON.parse(readFileSync(join(app, 'node_modules/@nestjs/core/package.json'), 'utf8'));
    expect(version.split('.')[0]).toBe(nest);
  });

  it('locks services, routes and jobs', async () => {
    expect(JSON.parse(await run(process.execPath, ['dist/main.js'], app))).toEqual(expected);
  });

  it('is one and the same for import and require', async () => {
    const exports = { names: expect.arrayContaining([expect.any(String)]), different: [] };
    expect(JSON.parse(await run(process.execPath, ['identity.mjs'], app))).toEqual({
      'nestjs-distributed-lock': { ...exports, names: expect.arrayContaining(['LockService']) },
      'nestjs-distributed-lock/testing': exports,
      'nestjs-distributed-lock/schedule': { ...exports, names: ['LockedCron', 'LockedInterval'] },
    });
  });

  if (nest === '10') {
    it('works in Jest', async () => {
      expect(JSON.parse(await run(process.execPath, ['node_modules/jest/bin/jest.js'], app))).toEqual(
        expected,
      );
    });
  }
});

/** Gives what a program printed. It has to end by itself, and well. */
async function run(program: string, args: string[], cwd: string): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)(program, args, { cwd, timeout: 120_000 });
    return stdout;
  } catch (error) {
    const { stdout, stderr, killed } = error as { stdout: string; stderr: string; killed: boolean };
    const problem = killed ? 'did not end' : 'failed';
    throw new Error(`${program} ${args.join(' ')} ${problem}:\n${stdout}${stderr}`);
  }
}
