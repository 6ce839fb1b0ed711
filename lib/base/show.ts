/** A value that was not expected, for a message. Never throws, whatever the value. */
export function show(value: unknown): string {
  if (typeof value === 'string') return `'${value}'`;
  if (typeof value === 'function') return 'a function';
  if (Array.isArray(value)) return 'an array';
  if (value instanceof Promise) return 'a Promise (was an `await` forgotten?)';
  if (typeof value !== 'object' || value === null) return String(value);
  const name: unknown = value.constructor?.name;
  return `an object (${typeof name === 'string' ? name : 'without a class'})`;
}
