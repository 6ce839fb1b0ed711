import { runInThisContext } from 'node:vm';
import { compileTemplate } from '../../../lib/core/keys/key-template.js';
import { parametersOf } from '../../../lib/core/keys/method-parameters.js';

export type Method = (...args: never[]) => unknown;

/** What the templates of these tests are used on, for their messages. */
export const SITE = 'Orders.ship';

/** Compiles a template as the decorator does; what it returns takes the arguments of a call. */
export function keyOf(template: string, method: Method): (...args: unknown[]) => string {
  const resolve = compileTemplate(template, parametersOf(method), SITE);
  return (...args) => resolve(args);
}

/** As {@link keyOf}, for a method whose parameters matter no more than their number: any. */
export function keyByPosition(template: string): (...args: unknown[]) => string {
  const resolve = compileTemplate(template, undefined, SITE);
  return (...args) => resolve(args);
}

/** The only method of a class, from source that no compiler has touched: comments and all stay as written. */
export function methodFrom(source: string): Method {
  const { prototype } = runInThisContext(`(class extends Object { #field; ${source} })`) as {
    prototype: object;
  };
  const name = Reflect.ownKeys(prototype).find((key) => key !== 'constructor');
  if (name === undefined) throw new Error(`no method in: ${source}`);
  return Reflect.get(prototype, name) as Method;
}
