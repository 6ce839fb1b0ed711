import { asError } from '../../base/as-error.js';
import { type Clock, type Instant } from '../../base/clock.js';
import { LockOptionsError } from '../../lock.errors.js';
import type { Lease, LeaseRequest, LockState, RenewOutcome } from '../lock-store.js';
import type { RedisConnection } from './redis-connection.js';
import type { LockKeys, RedisKeys } from './redis-keys.js';
import { RedisScript } from './redis-script.js';
import { stateOf } from './redis-state.js';
import { ACQUIRE } from './scripts/acquire.lua.js';
import { FORCE_RELEASE, INSPECT } from './scripts/inspect.lua.js';
import { RELEASE } from './scripts/release.lua.js';
import { RENEW, RENEW_HOLDERS } from './scripts/renew.lua.js';

export type AcquireReply =
  | { readonly granted: true; readonly lease: Lease }
  | {
      readonly granted: false;
      readonly holder: string | undefined;
      /** Milliseconds left of the holder's lease; negative when there is none, or it has no end. */
      readonly expiresIn: number;
      /** The request stands in line on the server. */
      readonly inLine: boolean;
    };

const scripts = {
  acquire: new RedisScript(ACQUIRE),
  release: new RedisScript(RELEASE),
  renew: new RedisScript(RENEW),
  renewHolders: new RedisScript(RENEW_HOLDERS),
  inspect: new RedisScript(INSPECT),
  forceRelease: new RedisScript(FORCE_RELEASE),
};

/** The scripts as functions: what is sent, and what the replies mean. */
export class RedisCommands {
  /** In Cluster PUBLISH counts only the subscribers of one node: silence does not mean that nobody is there. */
  readonly #reliable: '0' | '1';

  constructor(
    private readonly connection: RedisConnection,
    private readonly keys: RedisKeys,
    private readonly clock: Clock,
    /** The channel on which this process is woken. */
    private readonly inbox: string,
  ) {
    this.#reliable = connection.isCluster ? '0' : '1';
  }

  /** `wait` in milliseconds; 0 does not stand in line. */
  async acquire(request: LeaseRequest, wait: number): Promise<AcquireReply> {
    const { id, key, ttl, mode, permits } = request;
    const grantedAt: Instant = this.clock.now();
    const args = [id, ttl, this.#member(request, wait), this.#reliable];
    const reply = await scripts.acquire.run(this.connection, this.keys.of(key), args);
    if (!Array.isArray(reply)) {
      const fencingToken = Number(reply);
      return { granted: true, lease: { id, key, ttl, mode, permits, fencingToken, grantedAt } };
    }
    const [code, holder, expiresIn] = reply as AcquireTuple;
    if (code === 3) throw permitsDiffer(request, Number(holder));
    return { granted: false, holder: holder || undefined, expiresIn, inLine: code === 2 };
  }

  /** `false`: surely not the owner's any more; `undefined`: that was the answer to a command that was sent twice. */
  async release(request: LeaseRequest, keepFor: number, wait: number): Promise<boolean | undefined> {
    const { breaks } = this.connection;
    const args = [request.id, keepFor, this.#reliable];
    if (wait > 0) args.push(this.#member(request, wait));
    const released = await scripts.release.run(this.connection, this.keys.of(request.key), args);
    if (released === 1) return true;
    return this.connection.breaks === breaks ? false : undefined;
  }

  /** Leases of one slot, at most a hundred. The two kinds have scripts of their own, and fail alone. */
  async renew(leases: readonly Lease[]): Promise<readonly RenewOutcome[]> {
    const outcomes = new Map<Lease, RenewOutcome>();
    const run = async (
      script: RedisScript,
      chosen: readonly Lease[],
      keysOf: (keys: LockKeys) => string[],
    ) => {
      if (chosen.length === 0) return;
      const keys = chosen.flatMap(({ key }) => keysOf(this.keys.of(key)));
      const args = chosen.flatMap(({ id, ttl }) => [id, ttl]);
      const reply = await script.run(this.connection, keys, args).catch(asError);
      for (const [index, lease] of chosen.entries()) {
        outcomes.set(lease, reply instanceof Error ? reply : outcomeOf((reply as number[])[index]));
      }
    };
    await Promise.all([
      run(scripts.renew, leases.filter(isExclusive), ([lock]) => [lock]),
      run(
        scripts.renewHolders,
        leases.filter((lease) => !isExclusive(lease)),
        ([lock, , , holders, tokens]) => [lock, holders, tokens],
      ),
    ]);
    return leases.map((lease) => outcomes.get(lease) ?? 'lost');
  }

  async inspect(key: string): Promise<LockState | null> {
    return stateOf(key, await scripts.inspect.run(this.connection, this.keys.of(key), []));
  }

  /** The request as it stands in line: all that is needed to grant it without its process. */
  #member(request: LeaseRequest, wait: number): string {
    const { permits, ttl, id } = request;
    return `${modeMark(request)}|${permits}|${ttl}|${Math.ceil(wait)}|${this.inbox}|${id}`;
  }

  async forceRelease(key: string): Promise<boolean> {
    return (await scripts.forceRelease.run(this.connection, this.keys.of(key), [this.#reliable])) === 1;
  }
}

type AcquireTuple = [code: 0 | 2, holder: string, expiresIn: number] | [code: 3, permits: number];

function outcomeOf(renewed: number | undefined): RenewOutcome {
  return renewed === 1 ? 'renewed' : 'lost';
}

function isExclusive({ mode, permits }: LeaseRequest): boolean {
  return mode === 'exclusive' && permits === 1;
}

function modeMark({ mode }: LeaseRequest): 'x' | 's' {
  return mode === 'shared' ? 's' : 'x';
}

function permitsDiffer({ key, permits }: LeaseRequest, used: number): LockOptionsError {
  return new LockOptionsError(
    `"${key}" is used with ${used} permit(s) and cannot be used with ${permits} at the same time: name the same ` +
      'number of `permits` everywhere.',
    { key },
  );
}
