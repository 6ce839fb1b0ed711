/** The ids that the core gives to requests. What else a lock holds was put there by another kind of client. */
const REQUEST_ID = /^[0-9a-f-]{36}:\d+$/;

/** A lease of this library: with a fencing token, and whoever waits is told when it is released. */
export function isOurs(owner: string): boolean {
  return REQUEST_ID.test(owner);
}

/** Nobody's lease: the time that a released key stays locked. */
export function isKept(owner: string): boolean {
  return owner.startsWith('~kept');
}
