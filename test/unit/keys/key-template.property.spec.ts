import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LockKeyError } from '../../../lib/index.js';
import { keyByPosition } from './key-of.js';

type KeyOf = (...args: unknown[]) => string;

/** The text that a value is meant to have in a key, before it is encoded. */
const textOf = (value: unknown) => (value instanceof Date ? value.toISOString() : String(value));

/** Pieces of text that mean something in templates, keys, regular expressions or encodings. */
const TRICKY = [':', '-', '.', '_', '/', '|', ',', ' ', '%', '%3A', '%2D', '3A', '%25', '{', '}', '<', '>'];
const MORE_TRICKY = [
  '^',
  ']',
  '[',
  '\\',
  '\\u',
  '$',
  '\0',
  '\n',
  '\u2028',
  'x',
  'A',
  '0',
  '12',
  'é',
  '名',
  '😀',
];
const piece = fc.constantFrom(...TRICKY, ...MORE_TRICKY);

/** Text between two placeholders: nothing, something that separates, or something that can't. */
const between = fc.array(piece, { maxLength: 3 }).map((pieces) => pieces.join(''));

/** A template of two to four positions in either form, by the texts around and between them. */
const template = fc
  .tuple(fc.boolean(), fc.array(between, { minLength: 3, maxLength: 5 }))
  .map(([angles, texts]) => ({ texts, written: angles ? inAngles(texts) : inBraces(texts) }));

function inBraces(texts: readonly string[]): string {
  const literal = (text: string) => text.replace(/[{}]/g, '$&$&').replace(/[<>]/g, '');
  return texts.map((text, index) => (index > 0 ? `{${index - 1}}` : '') + literal(text)).join('');
}

function inAngles(texts: readonly string[]): string {
  const literal = (text: string) => text.replace(/[<>]/g, '');
  return texts.map((text, index) => (index > 0 ? `<${index - 1}>` : '') + literal(text)).join('');
}

/** Values made of what the template itself is made of: those would collide, if any. */
function hostileText(texts: readonly string[]): fc.Arbitrary<string> {
  const chars = texts.flatMap((text) => Array.from(text));
  const encoded = chars.map((char) => encodeURIComponent(char));
  const own = fc.constantFrom('a', ...texts, ...chars, ...encoded);
  return fc
    .array(fc.oneof(own, own, piece), { minLength: 1, maxLength: 4 })
    .map((pieces) => pieces.join(''))
    .filter((text) => text !== '');
}

const anyValue: fc.Arbitrary<unknown> = fc.oneof(
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 }),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 8 }),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.bigInt(),
  fc.boolean(),
  fc.date({ noInvalidDate: true }),
);

const twoCalls = template.chain(({ texts, written }) => {
  const count = texts.length - 1;
  const args = fc.array(fc.oneof({ weight: 3, arbitrary: hostileText(texts) }, anyValue), {
    minLength: count,
    maxLength: count,
  });
  return fc.record({ written: fc.constant(written), one: args, other: args });
});

/** Undefined where the template is refused, as it may be; any other error is a failure. */
function compile(written: string): KeyOf | undefined {
  try {
    return keyByPosition(written);
  } catch (error) {
    expect(error).toBeInstanceOf(LockKeyError);
    return undefined;
  }
}

describe('two different argument tuples never give one key from one template', () => {
  it('1. whatever the template and the values', () => {
    let compared = 0;
    fc.assert(
      fc.property(twoCalls, ({ written, one, other }) => {
        const keyOf = compile(written);
        if (!keyOf || one.map(textOf).join('\0') === other.map(textOf).join('\0')) return;
        compared++;
        expect(keyOf(...one)).not.toBe(keyOf(...other));
      }),
      { numRuns: 5_000 },
    );
    expect(compared).toBeGreaterThan(1_000); // most templates are not refused
  });

  it('1. above all where the same text is cut in two ways', () => {
    const pieces = fc.array(fc.oneof(fc.constant('a'), piece), { minLength: 3, maxLength: 5 });
    const cuts = fc.tuple(between, pieces, fc.nat(), fc.nat());
    fc.assert(
      fc.property(cuts, ([separator, texts, first, second]) => {
        const keyOf = compile(inBraces(['', separator, '']));
        const cutAt = (at: number) => {
          const index = 1 + (at % (texts.length - 1));
          return [texts.slice(0, index), texts.slice(index)].map((part) => part.join(separator));
        };
        const [one, other] = [cutAt(first), cutAt(second)];
        if (!keyOf || one.join('\0') === other.join('\0')) return;
        expect(keyOf(...one)).not.toBe(keyOf(...other));
      }),
      { numRuns: 5_000 },
    );
  });

  it('1. a template is refused only where no character between two placeholders can separate them', () => {
    fc.assert(
      fc.property(template, ({ texts, written }) => {
        const inner = texts.slice(1, -1).map((text) => text.replace(/[<>]/g, ''));
        // In braces, angles were left out, but `{` and `}` were kept; neither form loses any other character.
        const separable = inner.every((text) => /[^0-9A-Za-z%]/u.test(text));
        expect(compile(written) !== undefined).toBe(separable);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('4. encoded values', () => {
  const alone = keyByPosition('{0}');
  const text = fc.oneof(
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }),
    fc.string({ unit: 'binary', minLength: 1, maxLength: 20 }),
    hostileText(TRICKY),
  );

  it('4. contain no reserved character, and % only before two digits', () => {
    fc.assert(
      fc.property(text, (value) => {
        expect(alone(value)).toMatch(/^(?:[^:{}<>%\s\p{Cc}]|%[0-9A-F]{2})+$/u);
      }),
      { numRuns: 2_000 },
    );
  });

  it('4. are percent-encoded as everybody does it: decodeURIComponent gives the value back', () => {
    fc.assert(
      fc.property(text, (value) => {
        expect(decodeURIComponent(alone(value))).toBe(value);
      }),
      { numRuns: 2_000 },
    );
  });

  it('3. whatever the value: a key without undefined, null, NaN or [object …], or a LockKeyError', () => {
    const keyOf = keyByPosition('order:{0}');
    const anything = fc.anything({
      withBigInt: true,
      withDate: true,
      withMap: true,
      withNullPrototype: true,
    });
    fc.assert(
      fc.property(anything, (value) => {
        const simple = ['string', 'number', 'bigint', 'boolean'].includes(typeof value);
        try {
          const key = keyOf(value);
          expect(simple || value instanceof Date).toBe(true);
          expect(key).not.toBe('order:');
          if (typeof value !== 'string') expect(key).not.toMatch(/undefined|null|NaN|Infinity|object/);
        } catch (error) {
          expect(error).toBeInstanceOf(LockKeyError);
        }
      }),
      { numRuns: 5_000 },
    );
  });
});
