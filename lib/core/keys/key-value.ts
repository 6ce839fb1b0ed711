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
  if (Array.isArray(value)) return 'an array';
  if (value instanceof Promise) return 'a Promise (was an `await` forgotten?)';
  if (typeof value === 'object' && value !== null) {
    return `an object (${value.constructor?.name ?? 'without a class'}) with no text of its own`;
  }
  return String(value);
}

/**
 * Percent-encodes what could reach beyond the value's place in the key: reserved characters, white space,
 * control characters, and the characters that separate the placeholders of this template.
 */
export function valueEncoder(separators: Iterable<string>): (text: string) => string {
  const special = [...RESERVED, ...separators]
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
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? undefined : value.toISOString();
  const listLike = Array.isArray(value) || ArrayBuffer.isView(value);
  if (listLike || typeof value.toString !== 'function' || value.toString === Object.prototype.toString) {
    return undefined;
  }
  const text: unknown = value.toString();
  return typeof text === 'string' ? textOfValue(text) : undefined;
}

function percentEncode(char: string): string {
  let encoded = '';
  for (const byte of Buffer.from(char)) encoded += `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  return encoded;
}
