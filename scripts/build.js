// Builds what is published: ES modules in dist/lib and their CommonJS fallback in dist/cjs.
import { spawnSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = new URL('../', import.meta.url);
const tsc = fileURLToPath(new URL('node_modules/@typescript/native/bin/tsc', root));

// A file left over from a source that is gone would be published.
for (const folder of ['dist/lib', 'dist/cjs']) {
  rmSync(new URL(folder, root), { recursive: true, force: true });
}

for (const project of ['tsconfig.build.json', 'tsconfig.cjs.json']) {
  const { status } = spawnSync(process.execPath, [tsc, '-p', project], { cwd: root, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}

writeFileSync(new URL('dist/cjs/package.json', root), '{ "type": "commonjs" }\n');
