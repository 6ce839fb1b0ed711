import { LockKeyError } from '../../lock.errors.js';
import { checkKey } from './check-key.js';
import { canSeparate, describeValue, textOfValue, valueEncoder } from './key-value.js';
import type { ArgumentPath, MethodParameters } from './method-parameters.js';

interface Placeholder {
  /** As written, without its braces. */
  readonly text: string;
}

type Part = string | Placeholder;

interface Slot extends Placeholder {
  readonly path: ArgumentPath;
}

export type KeyResolver = (args: readonly unknown[]) => string;

/**
 * Compiles a template such as `order:{id}` for a method. Placeholders are names or positions of parameters, with
 * a path into them; whatever cannot work fails here, when the class is defined.
 */
export function compileTemplate(
  template: string,
  parameters: MethodParameters | undefined,
  site: string,
): KeyResolver {
  const parts = parse(template, site);
  const encode = valueEncoder(separatorsOf(parts, template, site));
  const compiled = parts.map((part) =>
    typeof part === 'string' ? part : { ...part, path: locate(part, template, parameters, site) },
  );
  if (parts.every((part) => typeof part === 'string')) {
    const key = checkKey(parts.join(''), site);
    return () => key;
  }
  return (args) => {
    let key = '';
    for (const part of compiled)
      key += typeof part === 'string' ? part : encode(read(part, args, template, site));
    return checkKey(key, site);
  };
}

/** `{…}` with `{{` and `}}` as literal braces; or `<…>`, which leaves braces alone. */
function parse(template: string, site: string): Part[] {
  const form = /<[^<>]*>/.test(template) ? /<([^<>]*)>/g : /\{\{|\}\}|\{([^{}]*)\}|[{}]/g;
  const parts: Part[] = [];
  let end = 0;
  for (const match of template.matchAll(form)) {
    parts.push(template.slice(end, match.index));
    end = match.index + match[0].length;
    if (match[1] !== undefined) parts.push({ text: match[1] });
    else if (match[0].length === 2) parts.push(match[0].charAt(0));
    else {
      throw new LockKeyError(
        `the key '${template}' has a lone '${match[0]}': write '${match[0]}${match[0]}' for a literal brace.`,
        { site },
      );
    }
  }
  parts.push(template.slice(end));
  return joinLiterals(parts);
}

function joinLiterals(parts: readonly Part[]): Part[] {
  const joined: Part[] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    if (typeof part === 'string' && typeof last === 'string') joined[joined.length - 1] = last + part;
    else joined.push(part);
  }
  return joined.filter((part) => part !== '');
}

/**
 * One character of each text between two placeholders, which no value will contain: without it `{a}-{b}` would
 * make one key of ('1-2', '3') and ('1', '2-3').
 */
function separatorsOf(parts: readonly Part[], template: string, site: string): Set<string> {
  const separators = new Set<string>();
  for (const [index, part] of parts.entries()) {
    const previous = parts[index - 1];
    if (typeof part === 'string' || previous === undefined || index === firstPlaceholder(parts)) continue;
    const separator = typeof previous === 'string' ? Array.from(previous).find(canSeparate) : undefined;
    if (separator === undefined) {
      throw new LockKeyError(
        `nothing in the key '${template}' separates {${part.text}} from what stands before it, so that ` +
          "different arguments could give the same key: put a ':' between them.",
        { site },
      );
    }
    separators.add(separator);
  }
  return separators;
}

function firstPlaceholder(parts: readonly Part[]): number {
  return parts.findIndex((part) => typeof part !== 'string');
}

function locate(
  { text }: Placeholder,
  template: string,
  parameters: MethodParameters | undefined,
  site: string,
): ArgumentPath {
  const [first = '', ...rest] = text.split('.');
  const fail = (problem: string): never => {
    throw new LockKeyError(
      `the key '${template}' asks for {${text}}, but ${problem}. Use a parameter's name ({id}, {order.id}), its ` +
        'position ({0}, {0.id}), or give a function of the arguments as `key`.',
      { site },
    );
  };
  if (text === '' || rest.includes('') || first === '') return fail('that names nothing');
  if (/^\d+$/.test(first)) {
    const position = Number(first);
    if (parameters && !parameters.hasRest && position >= parameters.count) {
      return fail(`the method has ${parameters.count} parameter(s)`);
    }
    return [position, ...rest];
  }
  if (!parameters) {
    return fail('the names of the parameters cannot be read (a native, bound or wrapped function)');
  }
  const base = parameters.names.get(first);
  if (base) return [...base, ...rest];
  const names = [...parameters.names.keys()];
  if (names.length > 0) return fail(`the names that this method has are: ${names.join(', ')}`);
  return fail(parameters.count > 0 ? 'its parameters have no names to use here' : 'it has no parameters');
}

function read({ path, text }: Slot, args: readonly unknown[], template: string, site: string): string {
  let value: unknown = args;
  for (const name of path) {
    if (value === undefined || value === null) break;
    value = (value as Record<string | number, unknown>)[name];
  }
  const found = textOfValue(value);
  if (found === undefined) {
    throw new LockKeyError(
      `{${text}} of the key '${template}' is ${describeValue(value)}: a key needs a non-empty string, a number, ` +
        'a bigint, a boolean, a Date or an object with its own toString(). (A default value is filled in only ' +
        'inside the method, where the lock cannot see it.)',
      { site },
    );
  }
  return found;
}
