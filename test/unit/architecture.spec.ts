import { readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { describe, expect, it } from 'vitest';

interface Import {
  /** A file below lib/ without its ending, or the specifier of a package. */
  readonly target: string;
  readonly isPackage: boolean;
  /** Gone once compiled. */
  readonly typeOnly: boolean;
}

const ROOT = new URL('../../', import.meta.url);
const LIB = new URL('lib/', ROOT);

/** Every file below lib/, without its ending, with what it imports. */
const FILES: ReadonlyMap<string, readonly Import[]> = new Map(
  readdirSync(LIB, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => path.replaceAll('\\', '/'))
    .map((path) => [
      path.slice(0, -3),
      importsOf(path.slice(0, -3), readFileSync(new URL(path, LIB), 'utf8')),
    ]),
);

function importsOf(file: string, source: string): Import[] {
  const found: Import[] = [];
  const add = (specifier: string, typeOnly: boolean) => {
    const isPackage = !specifier.startsWith('.');
    const target = isPackage ? specifier : posix.join(posix.dirname(file), specifier).replace(/\.[jt]s$/, '');
    found.push({ target, isPackage, typeOnly });
  };
  for (const match of source.matchAll(/^(?:import|export)\s+([\w$\s{},*]+?)\s*from\s*['"]([^'"]+)['"]/gm)) {
    const [, clause = '', specifier = ''] = match;
    add(specifier, /^type\b/.test(clause) || /^\{(?:\s*type\s[^,}]*,?)+\s*\}$/.test(clause));
  }
  for (const [, specifier = ''] of source.matchAll(/^import\s*['"]([^'"]+)['"]/gm)) add(specifier, false);
  // Anywhere but in a comment: import('…'), also as a type, and require('…').
  for (const line of source.split('\n').filter((each) => !/^\s*(?:\*|\/\*|\/\/)/.test(each))) {
    for (const [, specifier = ''] of line.matchAll(/\b(?:import|require)\(\s*['"`]([^'"`]+)['"`]/g)) {
      add(specifier, false);
    }
  }
  return found;
}

/** Each import that a file must not have, as `lib/core/hold.ts imports @nestjs/common`. */
function offending(files: RegExp, isAllowed: (imported: Import, file: string) => boolean): string[] {
  const concerned = [...FILES].filter(([file]) => files.test(file));
  expect(concerned, `files that match ${files}`).not.toEqual([]); // a rule about nothing would always hold
  return concerned.flatMap(([file, imports]) =>
    imports.filter((each) => !isAllowed(each, file)).map(({ target }) => `lib/${file}.ts imports ${target}`),
  );
}

/** Allows only files and packages that match; several patterns are alternatives. */
function only(...patterns: RegExp[]) {
  return ({ target }: Import) => patterns.some((pattern) => pattern.test(target));
}

function not(...patterns: RegExp[]) {
  return ({ target }: Import) => !patterns.some((pattern) => pattern.test(target));
}

const NEST = /^(?:@nestjs\/|rxjs(?:\/|$)|reflect-metadata$)/;

describe('the reader of imports', () => {
  it.each<[source: string, ...found: [target: string, typeOnly: boolean][]]>([
    ["import a from 'pkg';", ['pkg', false]],
    ["import { a, type B } from './b.js';", ['core/b', false]],
    ["import {\n  a,\n  b,\n} from '../base/c.js';", ['base/c', false]],
    ["import * as a from '@scope/pkg/deep.js';", ['@scope/pkg/deep.js', false]],
    ["import type { A } from './a.js';", ['core/a', true]],
    ["import { type A, type B } from './a.js';", ['core/a', true]],
    ["import {\n  type A,\n  type B,\n} from './a.js';", ['core/a', true]],
    ["import 'side-effect';", ['side-effect', false]],
    ["export * from './a.js';", ['core/a', false]],
    ["export type * from './a.js';", ['core/a', true]],
    ["export { a } from './a.js';\nexport { b } from './b.js';", ['core/a', false], ['core/b', false]],
    ["const a = await import('pkg');", ['pkg', false]],
    ["type A = import('pkg').A;", ['pkg', false]],
    ["const a = require('pkg');", ['pkg', false]],
    [" * import { a } from 'pkg';\n * await import('pkg')\n// require('pkg')"],
  ])('%j', (source, ...found) => {
    const read = importsOf('core/file', source).map(({ target, typeOnly }) => [target, typeOnly]);
    expect(read).toEqual(found);
  });

  it('has read the library, and each import leads to a file', () => {
    expect(FILES.size).toBeGreaterThan(30);
    expect(offending(/./, ({ target, isPackage }) => isPackage || FILES.has(target))).toEqual([]);
  });
});

describe('arrows point one way', () => {
  it('base imports nothing but itself and the errors', () => {
    expect(offending(/^base\//, only(/^node:/, /^base\//, /^lock\.errors$/))).toEqual([]);
  });

  it('the errors import nothing, and the observer only them and the contract', () => {
    expect(offending(/^lock\.errors$/, only())).toEqual([]);
    expect(offending(/^lock\.observer$/, only(/^lock\.errors$/, /^stores\/lock-store$/))).toEqual([]);
  });

  it('core knows neither Nest nor a driver, and of the library only base, errors, observer and contract', () => {
    const packages = [/^node:/, /^acorn$/];
    const files = [/^core\//, /^base\//, /^lock\.errors$/, /^lock\.observer$/, /^stores\/lock-store$/];
    expect(offending(/^core\//, only(...packages, ...files))).toEqual([]);
  });

  it('a store knows only its own folder, base, the errors and the contract, and no Nest; Redlock also Redis', () => {
    const shared = only(/^base\//, /^lock\.errors$/, /^stores\/lock-store$/);
    const allowed = (imported: Import, file: string) =>
      imported.isPackage
        ? not(NEST)(imported)
        : shared(imported) || foldersOf(file).some((folder) => imported.target.startsWith(folder));
    expect(offending(/^stores\/[^/]+\//, allowed)).toEqual([]);
  });

  it('beside the folders of the stores there is only the contract, which imports base alone', () => {
    const beside = [...FILES.keys()].filter((file) => /^stores\/[^/]+$/.test(file));
    expect(beside).toEqual(['stores/lock-store']);
    expect(offending(/^stores\/lock-store$/, only(/^base\//))).toEqual([]);
  });

  it('decorators go through the service, never to a store', () => {
    expect(offending(/^decorators\//, not(/^stores\//))).toEqual([]);
  });

  it('the service knows no decorator and no integration', () => {
    const below = /^lock\.(?:service|options|stores|module-definition)$/;
    expect(offending(below, not(/^decorators\//, /^integrations\//))).toEqual([]);
  });

  it('an integration knows the library without its stores, and no other integration; nobody knows one', () => {
    const library = only(/^(?:base|core|decorators)\//, /^lock\.[\w-]+$/, /^stores\/lock-store$/);
    const allowed = (imported: Import, file: string) =>
      imported.isPackage ||
      library(imported) ||
      foldersOf(file).some((folder) => imported.target.startsWith(folder));
    expect(offending(/^integrations\//, allowed)).toEqual([]);
    const isIntegration = (file: string) => file.startsWith('integrations/');
    expect(offending(/./, (each, file) => isIntegration(file) || not(/^integrations\//)(each))).toEqual([]);
  });

  it('a store is chosen in one place: elsewhere the library knows the contract only', () => {
    const chooser = /^(?:index|lock\.stores|stores\/.+|testing\/.+)$/;
    expect(offending(/./, (each, file) => chooser.test(file) || not(/^stores\/.+\//)(each))).toEqual([]);
  });

  it('nothing imports an entry: neither the index nor what users test with, except that itself', () => {
    const isTesting = (file: string) => file.startsWith('testing/');
    const allowed = (each: Import, file: string) => isTesting(file) || not(/^index$/, /^testing\//)(each);
    expect(offending(/./, allowed)).toEqual([]);
  });

  it('no file imports, when it runs, one that imports it', () => {
    expect(cycles()).toEqual([]);
  });
});

describe('the root entry', () => {
  const { dependencies, peerDependencies, peerDependenciesMeta } = JSON.parse(
    readFileSync(new URL('package.json', ROOT), 'utf8'),
  ) as {
    dependencies: Record<string, string>;
    peerDependencies: Record<string, string>;
    peerDependenciesMeta?: Record<string, { optional?: boolean }>;
  };
  const required = [...Object.keys(dependencies), ...Object.keys(peerDependencies)].filter(
    (name) => !peerDependenciesMeta?.[name]?.optional,
  );

  it('asks users to install no driver', () => {
    expect(new Set(required)).toEqual(
      new Set(['@nestjs/common', '@nestjs/core', 'reflect-metadata', 'rxjs', 'acorn']),
    );
  });

  it('imports no optional driver, whatever it leads to, not even for a type', () => {
    const reached = reachedFrom('index');
    expect(reached.size).toBeGreaterThan(25);
    const isAllowed = ({ target, isPackage }: Import, file: string) =>
      !reached.has(file) || !isPackage || target.startsWith('node:') || required.includes(packageOf(target));
    expect(offending(/./, isAllowed)).toEqual([]);
  });
});

function reachedFrom(entry: string): ReadonlySet<string> {
  const reached = new Set([entry]);
  for (const file of reached) {
    for (const { target } of FILES.get(file) ?? []) if (FILES.has(target)) reached.add(target);
  }
  return reached;
}

function cycles(): string[] {
  const found: string[] = [];
  const done = new Set<string>();
  const visit = (file: string, trail: readonly string[]) => {
    if (trail.includes(file)) found.push([...trail.slice(trail.indexOf(file)), file].join(' → '));
    if (done.has(file)) return;
    done.add(file);
    for (const { target, typeOnly } of FILES.get(file) ?? []) if (!typeOnly) visit(target, [...trail, file]);
  };
  for (const file of FILES.keys()) visit(file, []);
  return found;
}

/** `stores/redis/` for `stores/redis/scripts/acquire`. Each node of a Redlock is a Redis. */
function foldersOf(file: string): string[] {
  const own = `${file.split('/').slice(0, 2).join('/')}/`;
  return own === 'stores/redlock/' ? [own, 'stores/redis/'] : [own];
}

function packageOf(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}
