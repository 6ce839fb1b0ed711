import { runInThisContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { parametersOf } from '../../../lib/core/keys/method-parameters.js';
import { lockKeyError } from '../base/lock-error.matcher.js';
import { keyOf, type Method, methodFrom } from './key-of.js';

/** Where each name is found, as `{ id: '0', line: '1.lines.0' }`. */
function pathsOf(source: string): Record<string, string> {
  const { names } = parametersOf(methodFrom(source)) ?? { names: [] };
  return Object.fromEntries([...names].map(([name, path]) => [name, path.join('.')]));
}

describe('2. names are read from the source with a real parser', () => {
  it.each<[source: string, paths: Record<string, string>]>([
    ['ship() {}', {}],
    ['ship(id) {}', { id: '0' }],
    ['ship(id, order, third) {}', { id: '0', order: '1', third: '2' }],
    ['ship(\n  id,\n  order,\n) {}', { id: '0', order: '1' }],
    ['ship($id, _order, größe, 名前) {}', { $id: '0', _order: '1', größe: '2', 名前: '3' }],
  ])('2. plain ones: %s', (source, paths) => {
    expect(pathsOf(source)).toEqual(paths);
  });

  it.each<[source: string, paths: Record<string, string>]>([
    ['ship(id = 1, order) {}', { id: '0', order: '1' }],
    ['ship(id = "a, b", order) {}', { id: '0', order: '1' }],
    [`ship(id = \`\${((a, b) => "x)")()}\`, order) {}`, { id: '0', order: '1' }],
    ['ship(id = f(1, [2, 3], { c: 4 }), order) {}', { id: '0', order: '1' }],
    ['ship(id = /[,)]/, order) {}', { id: '0', order: '1' }],
    ['ship(id = (x, y) => ({ x, y }), order) {}', { id: '0', order: '1' }],
    ['ship(id = class { order(a, b) {} }, order) {}', { id: '0', order: '1' }],
    ['ship(id = this.next(), order = id) {}', { id: '0', order: '1' }],
  ])('2. through default values: %s', (source, paths) => {
    expect(pathsOf(source)).toEqual(paths);
  });

  it.each<[source: string, paths: Record<string, string>]>([
    ['ship({ id }) {}', { id: '0.id' }],
    ['ship(first, { id, name }) {}', { first: '0', id: '1.id', name: '1.name' }],
    ['ship({ id: orderId }) {}', { orderId: '0.id' }],
    ['ship({ id = 5, name: label = "x" } = {}) {}', { id: '0.id', label: '0.name' }],
    ['ship({ order: { lines: [{ sku }] } }) {}', { sku: '0.order.lines.0.sku' }],
    ['ship({ order: { id: orderId = 1 } = {} }) {}', { orderId: '0.order.id' }],
    ['ship({ "order-id": id, 5: five }) {}', { id: '0.order-id', five: '0.5' }],
    ['ship([first, , third]) {}', { first: '0.0', third: '0.2' }],
    ['ship([[deep] = []]) {}', { deep: '0.0.0' }],
    ['ship({ id, ...rest }) {}', { id: '0.id', rest: '0' }],
    ['ship({ [`computed`]: id }, order) {}', { order: '1' }],
    ['ship([first, ...others]) {}', { first: '0.0' }],
  ])('2. through destructuring: %s', (source, paths) => {
    expect(pathsOf(source)).toEqual(paths);
  });

  it.each<[source: string, paths: Record<string, string>]>([
    ['ship(id /* the id, (really) */, order) {}', { id: '0', order: '1' }],
    ['ship(/* a, b */ id) {}', { id: '0' }],
    ['ship(\n  // order, first\n  id,\n  order, // ) {\n) {}', { id: '0', order: '1' }],
    ['/* x(a, b) */ ship /* y */ (id) {}', { id: '0' }],
    ['ship(id = 1 /* = 2, x */, { order /* : other */ }) {}', { id: '0', order: '1.order' }],
  ])('2. through comments: %s', (source, paths) => {
    expect(pathsOf(source)).toEqual(paths);
  });

  it.each([
    'static(id) {}',
    'async(id) {}',
    'get(id) {}',
    'set(id) {}',
    'async async(id) {}',
    'async static(id) {}',
    'async get(id) {}',
    'of(id) {}',
    'await(id) {}',
    'yield(id) {}',
    'function(id) {}',
    'class(id) {}',
    'new(id) {}',
    'async ship(id) { await id; for await (const x of id) {} }',
    '*ship(id) { yield id }',
    'async *ship(id) { yield await id }',
    '"quoted, (name)"(id) {}',
    "'async'(id) {}",
    '42(id) {}',
    '["com" + "puted"](id) {}',
    `[((a, b) => \`\${a}\`)(1, 2)](id) {}`,
    'async ["computed"](id) {}',
    '[Symbol.iterator](id) {}',
    '_private(id) {}',
    '$private(id) {}',
    '__proto(id) {}',
  ])('2. whatever the method is called: %s', (source) => {
    expect(pathsOf(source)).toEqual({ id: '0' });
  });

  it.each([
    'ship(id) { return this.#field }',
    'ship(id) { return #field in this }',
    'async ship(id) { this.#field ??= await id }',
    'ship(id) { return super.toString() + new.target }',
    'ship(id) { return import("node:os") }',
    'ship(id) { return /(?<year>\\d{4})[\\p{L}--[a-z]]/v.test(id) }',
    'ship(id) { label: for (;;) break label; "use strict" }',
  ])('2. whatever the method does: %s', (source) => {
    expect(pathsOf(source)).toEqual({ id: '0' });
  });

  it('2. whatever the method does: import.meta', async () => {
    // Imported as it is: vitest would write import.meta in another way.
    const source = 'export class Orders { ship(id) { return import.meta.url + id } }';
    const { Orders } = (await import(`data:text/javascript,${source}`)) as {
      Orders: { prototype: { ship: Method } };
    };
    expect(String(Orders.prototype.ship)).toContain('import.meta');
    expect(parametersOf(Orders.prototype.ship)?.names).toEqual(new Map([['id', [0]]]));
  });

  it.each([
    '(id) => id',
    'id => id',
    'async (id) => id',
    '(function (id) {})',
    '(async function ship(id) {})',
    '({ ship(id) {} }).ship',
    '({ async "ship it"(id) {} })["ship it"]',
  ])('2. of a function put in the place of the method, too: %s', (source) => {
    expect(keyOf('order:{id}', runInThisContext(source))('42')).toBe('order:42');
  });

  it('2. a rest parameter lets every position through, and has no name', () => {
    const method = methodFrom('ship(id, ...more) {}');
    expect(parametersOf(method)).toEqual({ names: new Map([['id', [0]]]), count: 2, hasRest: true });
    expect(keyOf('{id}:{1}:{7}', method)(0, 1, 2, 3, 4, 5, 6, 7)).toBe('0:1:7');
    expect(() => keyOf('{more}', method)).toThrow(lockKeyError(/the names that this method has are: id\./));
  });

  it.each<[string, Method]>([
    ['native', Math.max],
    ['bound', methodFrom('ship(id) {}').bind(undefined)],
    ['a native wrapper', new Proxy(methodFrom('ship(id) {}'), {})],
  ])('2. a function without source has no names: %s', (_kind, method) => {
    expect(parametersOf(method)).toBeUndefined();
  });
});

describe('2. values are read where their names point', () => {
  it.each<[source: string, args: unknown[], key: string]>([
    ['ship({ id })', [{ id: 1 }], 'k:1'],
    ['ship({ order: { number: id } })', [{ order: { number: 2 } }], 'k:2'],
    ['ship(first, [, id])', ['x', ['y', 3]], 'k:3'],
    ['ship({ "order-id": id })', [{ 'order-id': 4 }], 'k:4'],
    ['ship(id = 5)', [6], 'k:6'],
    ['ship({ id = 5 } = {})', [{ id: 7 }], 'k:7'],
  ])('2. %s with %j is %s', (source, args, key) => {
    expect(keyOf('k:{id}', methodFrom(`${source} {}`))(...args)).toBe(key);
  });

  it('2. a path goes on from a destructured name, and from what is left of an object', () => {
    const method = methodFrom('ship({ order, ...rest }) {}');
    expect(keyOf('{order.id}:{rest.name}', method)({ order: { id: 1 }, name: 'x' })).toBe('1:x');
  });

  it('2. a default value is not seen, and the message says so', () => {
    expect(() => keyOf('k:{id}', methodFrom('ship(id = 5) {}'))()).toThrow(
      lockKeyError(/\{id\} .* is undefined: .*A default value is filled in only inside the method/),
    );
    expect(() => keyOf('k:{id}', methodFrom('ship({ id } = { id: 5 }) {}'))()).toThrow(
      lockKeyError(/\{id\} .* is undefined/),
    );
  });
});

describe('2. a name that the method does not have fails when the template is compiled', () => {
  const waysOut =
    /Use a parameter's name \(\{id\}, \{order\.id\}\), its position \(\{0\}, \{0\.id\}\), or .*function/;

  it('2. lists the names that there are, destructured ones too', () => {
    expect(() => keyOf('order:{orderId}', methodFrom('ship(id, { order: { sku } }) {}'))).toThrow(
      lockKeyError(
        /^Orders\.ship: the key 'order:\{orderId\}' asks for \{orderId\}, but the names that this method has are: id, sku\./,
      ),
    );
  });

  it.each([
    ['{Id}', 'ship(id) {}', /the names that this method has are: id\./],
    ['{ id }', 'ship(id) {}', /asks for \{ id \}, but the names/],
    ['{id}', 'ship() {}', /it has no parameters\./],
    ['{ids}', 'ship(...ids) {}', /its parameters have no names to use here\./],
    ['{order.id}', 'ship({ id }) {}', /asks for \{order\.id\}, but the names that this method has are: id\./],
    ['<order>', 'ship(id) {}', /the names that this method has are: id\./],
    ['{toString}', 'ship(id) {}', /the names/],
    ['{constructor}', 'ship(id) {}', /the names/],
    ['{__proto__}', 'ship(id) {}', /the names/],
    ['{arguments}', 'ship(id) {}', /the names/],
    ['{this}', 'ship(id) {}', /the names/],
    ['{-1}', 'ship(id) {}', /the names/],
    ['{1}', 'ship(id) {}', /the method has 1 parameter\(s\)/],
    ['{0}', 'ship() {}', /the method has 0 parameter\(s\)/],
    ['{id}:{99999999999999999999}', 'ship(id) {}', /the method has 1 parameter\(s\)/],
  ])('2. %s of %s', (template, source, problem) => {
    const compile = () => keyOf(template, methodFrom(source));
    expect(compile).toThrow(lockKeyError(problem));
    expect(compile).toThrow(lockKeyError(waysOut));
  });

  it.each<[string, Method]>([
    ['native', Math.max],
    ['bound', methodFrom('ship(id) {}').bind(undefined)],
  ])('2. a %s function: its names cannot be read, its positions can', (_kind, method) => {
    const compile = () => keyOf('order:{id}', method);
    expect(compile).toThrow(lockKeyError(/the names of the parameters cannot be read/));
    expect(compile).toThrow(lockKeyError(waysOut));
    expect(keyOf('order:{0}', method)('42')).toBe('order:42');
  });
});
