import type { Redis } from 'ioredis';
import type { Clock } from '../../base/clock.js';
import { type Duration, parseDuration } from '../../base/duration.js';
import { show } from '../../base/show.js';
import { LockOptionsError } from '../../lock.errors.js';

export interface RedlockStoreOptions {
  /**
   * Three or more clients, one for each independent Redis primary; five is usual. They are used as they are, and never
   * closed. A lock is held when a majority holds it, so an even number tolerates no more failures than one less.
   */
  readonly clients: readonly Redis[];
  /**
   * What the names of all keys begin with: a lock on `order:42` is the key `lock:order:42` on every node. With the same
   * names the `redlock` package excludes us, and is excluded.
   * @default 'lock:'
   */
  readonly keyPrefix?: string | undefined;
  /**
   * How long a node may take to answer before it counts as failed. A shorter time notices a hung node sooner, and gives
   * up sooner on one that is merely slow.
   * @default a twentieth of the ttl, at least 5 ms and at most 50 ms
   */
  readonly nodeTimeout?: Duration | undefined;
  /** Told of what is unwise or cannot be checked, such as an even number of clients.
   * @default console.warn
   */
  readonly onWarning?: ((message: string) => void) | undefined;
  /**
   * Tells the time and sets timers.
   * @default the system's clock
   */
  readonly clock?: Clock | undefined;
}

/** Fewer make no majority that survives the loss of one. */
const FEWEST = 3;
const KNOWN: readonly string[] = ['clients', 'keyPrefix', 'nodeTimeout', 'onWarning', 'clock'];
const SITE = 'redlockStore()';

export function checkRedlockOptions(options: RedlockStoreOptions): void {
  const fail = (problem: string): never => {
    throw new LockOptionsError(problem, { site: SITE });
  };
  if (typeof options !== 'object' || options === null) {
    fail(`${show(options)} is given: give an object with \`clients\`.`);
  }
  for (const name of Object.keys(options)) {
    if (!KNOWN.includes(name)) fail(`there is no option \`${name}\`; the options are: ${KNOWN.join(', ')}.`);
  }
  const { clients, keyPrefix, onWarning } = options;
  if (!Array.isArray(clients)) fail(`\`clients\` is ${show(clients)}: give an array of ioredis clients.`);
  if (clients.length < FEWEST) {
    fail(
      `${clients.length} client(s) are given: give at least ${FEWEST}, of independent servers. ` +
        'With one server use `redisStore()`; with two, the loss of either would stop all locks.',
    );
  }
  for (const [index, client] of clients.entries()) {
    if (typeof client?.evalsha !== 'function' || client.isCluster) {
      fail(`client ${index + 1} is ${show(client)}: give an ioredis \`Redis\`, one for each server.`);
    }
    if (clients.indexOf(client) < index) {
      fail(
        `client ${clients.indexOf(client) + 1} and client ${index + 1} are the same: one server has one vote.`,
      );
    }
  }
  if (keyPrefix !== undefined && typeof keyPrefix !== 'string') fail('`keyPrefix` has to be a string.');
  if (onWarning !== undefined && typeof onWarning !== 'function') fail('`onWarning` has to be a function.');
  nodeTimeoutOf(options);
}

/** Milliseconds for which a node may be silent, by the ttl that is asked for. */
export function nodeTimeoutOf({ nodeTimeout }: RedlockStoreOptions): (ttl: number) => number {
  if (nodeTimeout === undefined) return (ttl) => Math.max(5, Math.min(ttl / 20, 50));
  const fixed = parseDuration(nodeTimeout, { option: 'nodeTimeout', min: 1, site: SITE });
  return () => fixed;
}
