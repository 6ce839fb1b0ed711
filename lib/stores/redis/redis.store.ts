import { randomUUID } from 'node:crypto';
import { type Clock, systemClock } from '../../base/clock.js';
import { LockError } from '../../lock.errors.js';
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
import { checkRedisOptions, type RedisStoreOptions } from './redis.options.js';
import { type AcquireReply, RedisCommands } from './redis-commands.js';
import { RedisConnection } from './redis-connection.js';
import { RedisInbox } from './redis-inbox.js';
import { hashTagOf, RedisKeys } from './redis-keys.js';
import { RedisLeftovers } from './redis-leftovers.js';
import { RedisLine } from './redis-line.js';
import { renewInBatches } from './redis-renewal.js';
import { RedisWaiter, type WaiterServer } from './redis-waiter.js';

/**
 * Locks on a Redis primary: standalone, behind Sentinel, or the primaries of a Cluster. One round trip to take a
 * free lock, one to release it; those who wait are woken.
 */
export function redisStore(options: RedisStoreOptions): LockStore {
  checkRedisOptions(options);
  return new RedisStore(options);
}

/** How many messages that nobody waits for are remembered. */
const MOST_EARLY = 1_000;

class RedisStore implements LockStore {
  readonly name = 'redis';
  readonly capabilities: LockStoreCapabilities = {
    fencing: true,
    fair: true,
    shared: true,
    permits: true,
    minHold: true,
    scope: 'network',
  };
  readonly clock: Clock;
  readonly #connection: RedisConnection;
  readonly #keys: RedisKeys;
  readonly #commands: RedisCommands;
  readonly #minReplicas: number;
  readonly #warn: (message: string) => void;
  readonly #inbox: RedisInbox;
  readonly #server: WaiterServer;
  readonly #leftovers: RedisLeftovers;
  readonly #lines = new Map<string, RedisLine>();
  readonly #waiters = new Map<string, RedisWaiter>();
  /**
   * Requests that were told something before they were known to wait: messages come by another connection than
   * replies, and may overtake them. Those of requests that have been withdrawn stand here too, for a while.
   */
  readonly #early = new Set<string>();

  constructor(options: RedisStoreOptions) {
    this.clock = options.clock ?? systemClock;
    this.#minReplicas = options.minReplicas ?? 0;
    this.#warn = options.onWarning ?? ((message) => console.warn(message));
    this.#connection = new RedisConnection(options);
    const { keyPrefix = 'lock:' } = options;
    this.#keys = new RedisKeys(keyPrefix, this.#connection.keyPrefix, this.#connection.isCluster);
    // A bar separates the fields of those in line.
    const channel = `${this.#connection.keyPrefix}${keyPrefix}inbox:${randomUUID()}`.replaceAll('|', ':');
    this.#commands = new RedisCommands(this.#connection, this.#keys, this.clock, channel);
    this.#leftovers = new RedisLeftovers(this.clock, (request, wait) =>
      this.#commands.release(request, 0, wait),
    );
    this.#inbox = new RedisInbox(this.#connection, channel, this.clock, {
      granted: (id) => this.#told(id, (waiter) => waiter.look()),
      lookIn: (id, ms) => this.#told(id, ({ line }) => line.lookAsTold(ms)),
      opened: () => this.#lookAll(),
      forbidden: (error) => {
        this.#lookAll();
        this.#warn(
          `Locks in Redis are waited for by asking again and again, because pub/sub is forbidden (${String(error)}). ` +
            `Allow the channels "${this.#connection.keyPrefix}${keyPrefix}inbox:*" and +subscribe, +publish.`,
        );
      },
    });
    const inbox = this.#inbox;
    this.#server = {
      get isMute() {
        return inbox.isForbidden;
      },
      acquire: (request, wait) => this.#ask(request, wait),
      withdraw: async (request, wait) => {
        try {
          await this.#commands.release(request, 0, wait);
        } catch (error) {
          this.#leftovers.add(request, wait);
          throw error;
        }
      },
      left: ({ request, line }) => {
        this.#waiters.delete(request.id);
        if (!line.waiters.first) this.#lines.delete(request.key);
      },
    };
  }

  async acquire(request: LeaseRequest, wait: WaitBudget): Promise<AcquireOutcome> {
    let reply: AcquireReply;
    try {
      reply = await this.#ask(request, wait.timeout);
    } catch (error) {
      if (!isRefusal(error)) this.#leftovers.add(request, wait.timeout);
      throw error;
    }
    if (reply.granted) return reply.lease;
    if (wait.timeout <= 0) return { busy: true, holder: reply.holder };
    const waiter = new RedisWaiter(request, this.#lineOf(request.key), this.#server, wait);
    this.#waiters.set(request.id, waiter);
    this.#inbox.open();
    waiter.begin(reply);
    if (this.#early.delete(request.id)) waiter.look();
    return waiter.outcome;
  }

  async renew(leases: readonly Lease[]): Promise<readonly RenewOutcome[]> {
    const slotOf = this.#connection.isCluster
      ? (lease: Lease) => hashTagOf(this.#connection.keyPrefix + this.#keys.of(lease.key)[0])
      : () => '';
    return renewInBatches(leases, slotOf, this.clock, (batch) => this.#commands.renew(batch));
  }

  async release(lease: Lease, keepFor = 0): Promise<boolean> {
    const released = await this.#commands.release(lease, keepFor, 0);
    if (released === undefined) throw new Error('the connection broke while the lock was being released');
    return released;
  }

  inspect(key: string): Promise<LockState | null> {
    return this.#commands.inspect(key);
  }

  async *list(prefix = ''): AsyncIterable<LockState> {
    await this.ping(); // a cluster knows its nodes only once it has been asked something
    for (const master of this.#connection.masters()) {
      const pages = master.scanStream({ match: this.#keys.pattern(prefix), type: 'string', count: 1_000 });
      for await (const names of pages as AsyncIterable<string[]>) {
        for (const name of names) {
          const key = this.#keys.fromScan(name);
          const state = key === undefined ? null : await this.inspect(key);
          if (state) yield state;
        }
      }
    }
  }

  forceRelease(key: string): Promise<boolean> {
    return this.#commands.forceRelease(key);
  }

  async ping(): Promise<void> {
    await this.#connection.ping();
  }

  async close(): Promise<void> {
    this.#inbox.close();
    this.#leftovers.close();
    this.#connection.close();
  }

  #told(id: string, tell: (waiter: RedisWaiter) => void): void {
    const waiter = this.#waiters.get(id);
    if (waiter) {
      tell(waiter);
      return;
    }
    this.#early.add(id);
    const [oldest] = this.#early;
    if (this.#early.size > MOST_EARLY && oldest !== undefined) this.#early.delete(oldest);
  }

  /** Stands in line only while this process can be woken. */
  #ask(request: LeaseRequest, wait: number): Promise<AcquireReply> {
    const asked = this.#commands.acquire(request, this.#inbox.isOpen ? wait : 0);
    return this.#minReplicas > 0 ? this.#replicated(request, asked) : asked;
  }

  async #replicated(request: LeaseRequest, asked: Promise<AcquireReply>): Promise<AcquireReply> {
    const reply = await asked;
    if (reply.granted) await this.#assertReplicated(request);
    return reply;
  }

  async #assertReplicated(request: LeaseRequest): Promise<void> {
    const reached = await this.#connection.replicasOf(this.#keys.of(request.key)[0], this.#minReplicas);
    if (reached >= this.#minReplicas) return;
    await this.#server.withdraw(request, 0);
    throw new Error(`only ${reached} of ${this.#minReplicas} replicas had the lock in time`);
  }

  #lookAll(): void {
    for (const waiter of this.#waiters.values()) waiter.look();
  }

  #lineOf(key: string): RedisLine {
    let line = this.#lines.get(key);
    if (!line) {
      line = new RedisLine(this.clock);
      this.#lines.set(key, line);
    }
    return line;
  }
}

/** Redis itself has said no. Any other failure may be that of an answer: the request may have been granted. */
function isRefusal(error: unknown): boolean {
  return error instanceof LockError || (error instanceof Error && error.name === 'ReplyError');
}
