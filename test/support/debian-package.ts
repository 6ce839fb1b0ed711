import { spawnSync } from 'node:child_process';
import { accessSync, constants, mkdtempSync, openSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

/**
 * Makes sure that a program is there, installing Debian's package where that is possible.
 * A test that needs a service fails without it: it never skips silently.
 */
export function ensureDebianPackage(binary: string, debianPackage: string): void {
  if (isOnPath(binary)) return;
  if (process.getuid?.() !== 0 || !isOnPath('apt-get'))
    throw new Error(`${binary} is missing: install it (on Debian: apt-get install ${debianPackage})`);
  const log = join(mkdtempSync(join(tmpdir(), 'apt-')), 'log');
  console.log(`installing ${debianPackage} for ${binary}; log: ${log}`);
  const output = openSync(log, 'a');
  const aptGet = (...args: readonly string[]) =>
    spawnSync('apt-get', ['-o', 'DPkg::Lock::Timeout=300', ...args], {
      // RUNLEVEL=1: packages do not start their services.
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' },
      stdio: ['ignore', output, output],
    });
  aptGet('update');
  aptGet('install', '-y', '--no-install-recommends', debianPackage);
  if (!isOnPath(binary)) throw new Error(`${debianPackage} could not be installed: see ${log}`);
}

export function isOnPath(binary: string): boolean {
  return (process.env.PATH ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, binary), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
