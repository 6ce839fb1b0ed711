import { types } from 'node:util';
import { show } from '../../base/show.js';

/** What separates parts of a key, and what could be mistaken for it. */
const RESERVED = ':{}<>%';

/** The text of an argument inside a key, or undefined where none can be made of it. */
export function textOfValue(value: unknown): string | undefined {
  switch (typeof value) {
    case 'string':
      return value.isWellFormed() && value !== '' ? value : undefined;
    case 'number':
      return Number.isFinite(value) ? String(value) : undefined;
    case 'bigint':
    case 'boolean':
      return String(value);
    case 'object':
      return value === null ? undefined : textOfObject(value);
    default:
      return undefined;
  }
}

/** For a message: what was there instead of a value. */
export function describeValue(value: unknown): string {
  if (typeof value === 'string') return value === '' ? 'an empty string' : 'a string with broken characters';
  return types.isDate(value) ? 'an invalid Date' : show(value);
}

/**
 * Percent-encodes what could reach beyond the value's place in the key: reserved characters, white space,
 * control characters, and the characters that separate the placeholders of this template.
 */
export function valueEncoder(separators: Iterable<string>): (text: string) => string {
  const special = [...Array.from(RESERVED), ...separators]
    .map((char) => `\\u{${char.codePointAt(0)?.toString(16)}}`)
    .join('');
  const unsafe = new RegExp(`[${special}\\s\\p{Cc}]`, 'u');
  const everyUnsafe = new RegExp(unsafe.source, 'gu');
  return (text) => (unsafe.test(text) ? text.replace(everyUnsafe, percentEncode) : text);
}

/** Whether a value is free of this character once it has been encoded, by itself or as a separator. */
export function canSeparate(char: string): boolean {
  return /[^0-9A-Za-z%]/u.test(char);
}

function textOfObject(value: object): string | undefined {
  if (types.isDate(value)) return Number.isNaN(value.getTime()) ? undefined : value.toISOString();
  if (Array.isArray(value) || ArrayBuffer.isView(value) || typeof value.toString !== 'function') {
    return undefined;
  }
  const text = (value as { toString(): unknown }).toString();
  // Compared by what it says, as an object of another realm (Jest, node:vm) inherits another realm's toString.
  if (typeof text !== 'string' || text === Object.prototype.toString.call(value)) return undefined;
  return textOfValue(text);
}

function percentEncode(char: string): string {
  let encoded = '';
  for (const byte of Buffer.from(char)) encoded += `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  return encoded;
}
