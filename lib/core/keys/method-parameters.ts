import { type Function as FunctionNode, type Node, type Pattern, parseExpressionAt } from 'acorn';

/** Where an argument, or a part of one, is found: `[0, 'order', 'id']`. */
export type ArgumentPath = readonly (string | number)[];

export interface MethodParameters {
  /** Every name that a template may use, also those inside a destructured parameter. */
  readonly names: ReadonlyMap<string, ArgumentPath>;
  readonly count: number;
  readonly hasRest: boolean;
}

/**
 * The parameters of a method, read from its source with a real parser: default values, comments and
 * destructuring are no obstacle. Undefined where there is no source to read (native and bound functions).
 */
export function parametersOf(method: (...args: never[]) => unknown): MethodParameters | undefined {
  const node = parse(Function.prototype.toString.call(method));
  if (!node) return undefined;
  const names = new Map<string, ArgumentPath>();
  for (const [index, parameter] of node.params.entries()) collectNames(parameter, [index], names);
  return {
    names,
    count: node.params.length,
    hasRest: node.params.at(-1)?.type === 'RestElement',
  };
}

/** A method cut out of its class still speaks of the class's private fields and of its module. */
const OUT_OF_PLACE = {
  ecmaVersion: 'latest',
  checkPrivateFields: false,
  allowImportExportEverywhere: true, // import.meta
} as const;

/** A method's source is one only inside a class; one called `static` needs another name to be read. */
function parse(source: string): FunctionNode | undefined {
  for (const text of [`(class{${source}})`, `(class{_${source}})`, `(${source})`]) {
    try {
      const found = findFunction(parseExpressionAt(text, 0, OUT_OF_PLACE));
      if (found) return found;
    } catch {
      // Not this form of source; the next may fit.
    }
  }
  return undefined;
}

function findFunction(node: Node & { body?: unknown; value?: unknown }): FunctionNode | undefined {
  if (node.type === 'ClassExpression') {
    const { body } = node.body as { body: readonly { type: string; value?: FunctionNode }[] };
    const [member] = body;
    return body.length === 1 && member?.type === 'MethodDefinition' ? member.value : undefined;
  }
  return node.type.includes('Function') ? (node as FunctionNode) : undefined;
}

function collectNames(pattern: Pattern, path: ArgumentPath, names: Map<string, ArgumentPath>): void {
  switch (pattern.type) {
    case 'Identifier':
      names.set(pattern.name, path);
      break;
    case 'AssignmentPattern':
      collectNames(pattern.left, path, names);
      break;
    case 'ObjectPattern':
      for (const property of pattern.properties) {
        if (property.type === 'RestElement') collectNames(property.argument, path, names);
        else if (!property.computed) {
          collectNames(property.value, [...path, nameOf(property.key as PropertyKeyNode)], names);
        }
      }
      break;
    case 'ArrayPattern':
      for (const [index, element] of pattern.elements.entries()) {
        if (element && element.type !== 'RestElement') collectNames(element, [...path, index], names);
      }
      break;
    default: // a rest parameter is an array, of which no key can be made
  }
}

type PropertyKeyNode = { type: 'Identifier'; name: string } | { type: 'Literal'; value: string | number };

function nameOf(key: PropertyKeyNode): string | number {
  return key.type === 'Identifier' ? key.name : key.value;
}
