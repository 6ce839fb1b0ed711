import { type Clock, driftOf, later, msUntil, systemClock } from '../../base/clock.js';
import type {
  AcquireOutcome,
  Lease,
  LeaseRequest,
  LockState,
  LockStore,
  LockStoreCapabilities,
  RenewOutcome,
  WaitBudget,
} from '../lock-store.js';
import { RedisKeys } from '../redis/redis-keys.js';
import { NodeRegister } from './node-register.js';
import { checkRedlockOptions, nodeTimeoutOf, type RedlockStoreOptions } from './redlock.options.js';
import { type Ballots, quorumOf, RedlockAttempt } from './redlock-attempt.js';
import { isUnavailable, quorumError } from './redlock-ballots.js';
import { RedlockLine } from './redlock-line.js';
import { answersOf, majorityOf } from './redlock-majority.js';
import { RedlockNode } from './redlock-node.js';
import { NodeNotices } from './redlock-notices.js';
import { renewOnNodes } from './redlock-renewal.js';
import { stateOf } from './redlock-state.js';
import { busy, RedlockWaiter, type WaiterNodes } from './redlock-waiter.js';

/**
 * Locks on a majority of independent Redis primaries: they last while a majority lasts. One round trip to take a free
 * lock, one to release it.
 */
export function redlockStore(options: RedlockStoreOptions): LockStore {
  checkRedlockOptions(options);
  return new RedlockStore(options);
}

class RedlockStore implements LockStore {
  readonly name = 'redlock';
  readonly capabilities: LockStoreCapabilities = {
    fencing: true,
    fair: false,
    shared: false,
    // With 2 permits on nodes A, B and C, holders on AB, BC and AC would be three.
    permits: false,
    minHold: true,
    scope: 'network',
  };
  readonly clock: Clock;
  readonly #timeoutFor: (ttl: number) => number;
  readonly #register: NodeRegister;
  readonly #nodes: readonly RedlockNode[];
  readonly #notices: readonly NodeNotices[];
  /** Ids of leases that were granted and neither released nor lost: nodes are healed of no others. */
  readonly #held = new Set<string>();
  readonly #lines = new Map<string, RedlockLine>();
  readonly #waiterNodes: WaiterNodes;

  constructor(options: RedlockStoreOptions) {
    const { clients, keyPrefix = 'lock:', onWarning = (message) => console.warn(message) } = options;
    this.clock = options.clock ?? systemClock;
    this.#timeoutFor = nodeTimeoutOf(options);
    this.#register = new NodeRegister(onWarning);
    const keysFor = keysByClientPrefix(keyPrefix);
    this.#nodes = clients.map(
      (client, index) =>
        new RedlockNode(client, index, keysFor(client.options.keyPrefix), this.clock, this.#register),
    );
    this.#notices = this.#nodes.map(
      (node) =>
        new NodeNotices(node, {
          freed: (key, processes) => this.#lines.get(key)?.freed(processes),
          listening: (key) => this.#lines.get(key)?.freed(1),
        }),
    );
    this.#waiterNodes = {
      attempt: (request) => this.#attempt(request),
      giveBack: (lease) => this.#giveBack(lease),
      left: ({ line }) => {
        if (line.waiters.first) return;
        this.#lines.delete(line.key);
        for (const notices of this.#notices) notices.unwatch(line.key);
      },
    };
    if (clients.length % 2 === 0) {
      onWarning(
        `redlockStore(): ${clients.length} clients are given. A majority of them survives the loss of no more nodes ` +
          `than of ${clients.length - 1}: give an odd number.`,
      );
    }
  }

  async acquire(request: LeaseRequest, wait: WaitBudget): Promise<AcquireOutcome> {
    // Who comes later asks later.
    const line = wait.timeout > 0 ? this.#lines.get(request.key) : undefined;
    if (line) return new RedlockWaiter(request, line, this.#waiterNodes, wait).outcome;
    const answer = await this.#attempt(request);
    if ('grantedAt' in answer) return answer;
    if (wait.timeout <= 0) return busy(answer);
    const waiter = new RedlockWaiter(request, this.#lineOf(request.key), this.#waiterNodes, wait);
    waiter.answered(answer);
    return waiter.outcome;
  }

  async renew(leases: readonly Lease[]): Promise<readonly RenewOutcome[]> {
    const shortest = leases.reduce((least, { ttl }) => Math.min(least, ttl), Number.POSITIVE_INFINITY);
    const outcomes = await renewOnNodes(this.#nodes, leases, this.#timeoutFor(shortest), ({ id }) =>
      this.#held.has(id),
    );
    for (const [index, { id }] of leases.entries()) if (outcomes[index] === 'lost') this.#held.delete(id);
    return outcomes;
  }

  async release(lease: Lease, keepFor = 0): Promise<boolean> {
    const timeout = this.#timeoutFor(lease.ttl);
    this.#held.delete(lease.id);
    const released = await majorityOf(this.#nodes, (node) => node.release(lease, keepFor, timeout));
    if (keepFor === 0) this.#lines.get(lease.key)?.freed(1);
    return released;
  }

  async inspect(key: string): Promise<LockState | null> {
    const states = await this.#answers((node, timeout) => node.inspect(key, timeout));
    return stateOf(key, states, quorumOf(this.#nodes));
  }

  async *list(prefix = ''): AsyncIterable<LockState> {
    const found = await this.#answers((node, timeout) => node.scan(prefix, timeout));
    for (const key of new Set(found.flat())) {
      const state = await this.inspect(key);
      if (state) yield state;
    }
  }

  async forceRelease(key: string): Promise<boolean> {
    const held = await this.#answers((node, timeout) => node.forceRelease(key, timeout));
    return held.includes(true);
  }

  async ping(): Promise<void> {
    await this.#answers((node, timeout) => node.ping(timeout));
  }

  async close(): Promise<void> {
    for (const notices of this.#notices) notices.close();
    for (const node of this.#nodes) node.close();
  }

  /** The lease, or the votes if there was no majority for it. */
  async #attempt(request: LeaseRequest): Promise<Lease | Ballots> {
    this.#assertFit();
    const grantedAt = this.clock.now();
    const outcome = await new RedlockAttempt(this.#nodes, request, this.#timeoutFor(request.ttl)).outcome;
    if (typeof outcome !== 'number') {
      this.#assertFit();
      if (isUnavailable(outcome)) throw quorumError(outcome);
      return outcome;
    }
    const lease: Lease = { ...request, fencingToken: outcome, grantedAt };
    try {
      this.#assertFit();
      assertCertain(lease, this.clock);
    } catch (error) {
      this.#giveBack(lease);
      throw error;
    }
    this.#held.add(lease.id);
    return lease;
  }

  /** What nodes turned out to be is known only once they were asked. */
  #assertFit(): void {
    const { refusal } = this.#register;
    if (refusal) throw refusal;
  }

  #giveBack(lease: Lease): void {
    this.#held.delete(lease.id);
    for (const node of this.#nodes) node.giveBack(lease);
  }

  #answers<T>(ask: (node: RedlockNode, timeout: number) => Promise<T>): Promise<readonly T[]> {
    const timeout = this.#timeoutFor(Number.POSITIVE_INFINITY);
    return answersOf(this.#nodes, quorumOf(this.#nodes), (node) => ask(node, timeout));
  }

  #lineOf(key: string): RedlockLine {
    let line = this.#lines.get(key);
    if (!line) {
      line = new RedlockLine(key, this.clock, () => this.#notices.some((notices) => notices.hears(key)));
      this.#lines.set(key, line);
      for (const notices of this.#notices) notices.watch(key);
    }
    return line;
  }
}

/** Nearly always one for all nodes, so that the names of a key are made once. */
function keysByClientPrefix(keyPrefix: string): (clientPrefix: string | undefined) => RedisKeys {
  const made = new Map<string, RedisKeys>();
  return (clientPrefix = '') => {
    const keys = made.get(clientPrefix) ?? new RedisKeys(keyPrefix, clientPrefix, false);
    made.set(clientPrefix, keys);
    return keys;
  };
}

/** Of what the votes cost, the lease is certain for so much less. */
function assertCertain({ grantedAt, ttl }: Lease, clock: Clock): void {
  if (msUntil(later(grantedAt, ttl - driftOf(ttl)), clock.now()) > 0) return;
  throw new Error(`the votes of the nodes took longer than the lease of ${ttl} ms lasts`);
}
