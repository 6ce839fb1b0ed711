import type { Redis } from 'ioredis';
import type { Clock } from '../../base/clock.js';
import type { Lease, LeaseRequest } from '../lock-store.js';
import { RedisConnection } from '../redis/redis-connection.js';
import type { RedisKeys } from '../redis/redis-keys.js';
import { RedisScript } from '../redis/redis-script.js';
import { NodeCalls } from './node-calls.js';
import { NodeError } from './node-error.js';
import { identityOf } from './node-identity.js';
import { NodeLeftovers } from './node-leftovers.js';
import type { NodeRegister } from './node-register.js';
import { VotesUnderWay } from './node-votes.js';
import type { Vote, Voter } from './redlock-attempt.js';
import { EXTEND, HEAL } from './scripts/extend.lua.js';
import { INSPECT } from './scripts/inspect.lua.js';
import { RAISE } from './scripts/raise.lua.js';
import { FORCE_RELEASE, RELEASE } from './scripts/release.lua.js';
import { VOTE } from './scripts/vote.lua.js';

const scripts = {
  vote: new RedisScript(VOTE),
  raise: new RedisScript(RAISE),
  extend: new RedisScript(EXTEND),
  heal: new RedisScript(HEAL),
  release: new RedisScript(RELEASE),
  inspect: new RedisScript(INSPECT),
  forceRelease: new RedisScript(FORCE_RELEASE),
};

/** What has to be known to end a lease. */
export type LeaseName = Pick<LeaseRequest, 'key' | 'id'>;

/** What a node says of a lease: renewed, another's, or nobody's. */
export type Extension = 'renewed' | 'taken' | 'missing';

/** What a node holds of a key. */
export interface NodeState {
  /** Undefined: nobody. */
  readonly holder: string | undefined;
  readonly expiresIn: number;
  readonly token: number;
}

/** Milliseconds for what nobody waits for. */
const UNHURRIED = 1_000;

/** One of the servers, its scripts as functions. Every answer comes within the time that is given, or is an error. */
export class RedlockNode implements Voter {
  readonly name: string;
  readonly connection: RedisConnection;
  readonly #calls: NodeCalls;
  readonly #leftovers: NodeLeftovers;
  /** Ids of leases that the node has, or may have. A node that was not asked for its vote has nothing to give back. */
  readonly #mayHold = new Set<string>();
  readonly #votes = new VotesUnderWay();
  #identified: Promise<void> | undefined;
  #isKnown = false;
  #wasKnown = false;
  readonly #onClose = () => {
    this.#identified = undefined;
    this.#isKnown = false;
    this.register.leave(this.name);
  };

  constructor(
    client: Redis,
    index: number,
    readonly keys: RedisKeys,
    clock: Clock,
    private readonly register: NodeRegister,
  ) {
    this.name = nameOf(client, index);
    this.connection = new RedisConnection({ client });
    this.#leftovers = new NodeLeftovers((lease) =>
      this.#release(lease, 0, UNHURRIED, this.channelOf(lease.key)),
    );
    this.#calls = new NodeCalls(this.connection, clock, () => this.#back());
    client.on('close', this.#onClose);
    if (client.status === 'ready') this.#back();
  }

  /** On which those who wait for a key are told that it was released. */
  channelOf(key: string): string {
    return `${this.keys.clientPrefix}${this.keys.of(key)[0]}:freed`;
  }

  vote({ key, id, ttl }: LeaseRequest, timeout: number): Promise<Vote> {
    const [lock, fence] = this.keys.of(key);
    this.#mayHold.add(id);
    this.#votes.begin(id);
    const send = () => scripts.vote.run(this.connection, [lock, fence], [id, ttl]);
    const answered = (vote: Vote | undefined) => {
      // A release has overtaken it: the node did not know this script, but that one.
      if (this.#votes.end(id) && vote?.for) this.takeBack({ key, id });
    };
    return this.#ask(timeout, () =>
      send().then(
        (reply) => {
          const vote = voteOf(reply);
          answered(vote);
          return vote;
        },
        (error: unknown) => {
          answered(undefined);
          throw error;
        },
      ),
    ).then(
      (vote) => {
        this.#leftovers.sweep(); // it answers again
        if (!vote.for) this.#mayHold.delete(id);
        return vote;
      },
      (error: unknown) => {
        if (error instanceof NodeError && !error.mayHaveActed) {
          this.#mayHold.delete(id);
          this.#votes.end(id);
        }
        throw error;
      },
    );
  }

  async raise({ key, id }: LeaseName, token: number, timeout: number): Promise<boolean> {
    const [lock, fence] = this.keys.of(key);
    return (await this.#run(timeout, scripts.raise, [lock, fence], [id, token])) === 1;
  }

  /** At most a hundred. */
  async extend(leases: readonly Lease[], timeout: number): Promise<readonly Extension[]> {
    const locks = leases.map(({ key }) => this.keys.of(key)[0]);
    const args = leases.flatMap(({ id, ttl }) => [id, ttl]);
    const reply = (await this.#run(timeout, scripts.extend, locks, args)) as readonly number[];
    for (const [index, { id }] of leases.entries()) if (reply[index] !== 1) this.#mayHold.delete(id);
    return reply.map((outcome) => (outcome === 1 ? 'renewed' : outcome === 0 ? 'taken' : 'missing'));
  }

  /** Gives the node leases that a majority holds, at most a hundred. */
  heal(leases: readonly Lease[]): void {
    const keys = leases.flatMap(({ key }) => this.keys.of(key).slice(0, 2));
    const args = leases.flatMap(({ id, ttl, fencingToken = 0 }) => [id, ttl, fencingToken]);
    for (const { id } of leases) this.#mayHold.add(id);
    // Should it fail, the next renewal finds the node without the leases again.
    this.#run(UNHURRIED, scripts.heal, keys, args).catch(() => {});
  }

  /** Whether the lease was the owner's. What this cannot tell, the node is told as soon as it answers again. */
  release(lease: LeaseName, keepFor: number, timeout: number): Promise<boolean> {
    return this.#releaseOrRemember(lease, keepFor, timeout, this.channelOf(lease.key));
  }

  /** Of a lease that was granted, though nobody wants it any more: those who wait are told. */
  giveBack(lease: LeaseName): void {
    this.release(lease, 0, UNHURRIED).catch(() => {});
  }

  /** Nobody is told: those who wait would all come at once again, and take each other's votes for ever. */
  takeBack(lease: LeaseName): void {
    this.#releaseOrRemember(lease, 0, UNHURRIED, '').catch(() => {});
  }

  async inspect(key: string, timeout: number): Promise<NodeState> {
    const [lock, fence] = this.keys.of(key);
    const reply = await this.#run(timeout, scripts.inspect, [lock, fence], []);
    const [holder, expiresIn, token] = reply as [string, number, string];
    return { holder: holder === '' ? undefined : holder, expiresIn, token: Number(token) };
  }

  async forceRelease(key: string, timeout: number): Promise<boolean> {
    const [lock] = this.keys.of(key);
    return (await this.#run(timeout, scripts.forceRelease, [lock], [this.channelOf(key)])) === 1;
  }

  /** The keys of locks that the node holds, and whose names begin so. */
  async scan(prefix: string, timeout: number): Promise<readonly string[]> {
    const client = this.connection.client as Redis;
    const pattern = this.keys.pattern(prefix);
    const keys: string[] = [];
    let cursor = '0';
    do {
      const page = () => client.scan(cursor, 'MATCH', pattern, 'COUNT', 1_000, 'TYPE', 'string');
      const [next, names] = await this.#ask(timeout, page);
      keys.push(...names.flatMap((name) => this.keys.fromScan(name) ?? []));
      cursor = next;
    } while (cursor !== '0');
    return keys;
  }

  async ping(timeout: number): Promise<void> {
    await this.#ask(timeout, () => this.connection.client.ping());
  }

  close(): void {
    this.connection.client.off('close', this.#onClose);
    this.#calls.close();
    this.connection.close();
  }

  async #releaseOrRemember(
    lease: LeaseName,
    keepFor: number,
    timeout: number,
    channel: string,
  ): Promise<boolean> {
    try {
      return await this.#release(lease, keepFor, timeout, channel);
    } catch (error) {
      if (keepFor === 0 && this.#mayHold.has(lease.id)) this.#leftovers.add(lease);
      throw error;
    }
  }

  async #release(
    { key, id }: LeaseName,
    keepFor: number,
    timeout: number,
    channel: string,
  ): Promise<boolean> {
    const { breaks } = this.connection;
    const args = [id, keepFor, channel];
    const released = await this.#run(timeout, scripts.release, [this.keys.of(key)[0]], args);
    // A command that was sent twice is answered by its second time.
    if (released === 0 && this.connection.breaks !== breaks)
      throw new NodeError('the connection broke', true);
    if (released === 0) this.#votes.releaseCameToNothing(id);
    this.#mayHold.delete(id);
    return released === 1;
  }

  #run(
    timeout: number,
    script: RedisScript,
    keys: readonly string[],
    args: readonly (string | number)[],
  ): Promise<unknown> {
    return this.#ask(timeout, () => script.run(this.connection, keys, args));
  }

  #ask<T>(timeout: number, send: () => Promise<T>): Promise<T> {
    return this.#calls.ask(timeout, this.#isKnown ? send : () => this.#identify().then(send));
  }

  #back(): void {
    this.#identify().then(
      () => this.#leftovers.sweep(),
      () => {}, // told to whoever asks
    );
  }

  #identify(): Promise<void> {
    this.#identified ??= this.#meet();
    return this.#identified;
  }

  async #meet(): Promise<void> {
    try {
      const identity = await identityOf(this.connection.client as Redis);
      this.register.enter(this.name, identity, !this.#wasKnown);
      this.#isKnown = true;
      this.#wasKnown = true;
    } catch (error) {
      this.#identified = undefined; // a server that is still loading its data is asked again
      throw error;
    }
  }
}

function voteOf(reply: unknown): Vote {
  if (!Array.isArray(reply)) return { for: true, token: Number(reply) };
  const [holder, expiresIn] = reply as [string, number];
  return { for: false, holder, expiresIn };
}

function nameOf({ options }: Redis, index: number): string {
  const { path, host, port, sentinels, name } = options;
  const address = sentinels ? `sentinel ${String(name)}` : (path ?? `${String(host)}:${String(port)}`);
  return `node ${index + 1} (${address})`;
}
