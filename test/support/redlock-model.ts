import type { LeaseRequest } from '../../lib/stores/lock-store.js';
import { NodeError } from '../../lib/stores/redlock/node-error.js';
import { RedlockAttempt, type Vote, type Voter } from '../../lib/stores/redlock/redlock-attempt.js';

/** What one server does, step by step as its scripts do it. */
export class ModelServer {
  holder: string | undefined;
  counter: number | undefined;

  constructor(
    /** Where a counter that is not there begins. */
    private readonly begin: () => number,
  ) {}

  vote(id: string): Vote {
    if (this.holder !== undefined && this.holder !== id)
      return { for: false, holder: this.holder, expiresIn: 1 };
    if (this.holder === undefined || this.counter === undefined) {
      this.counter = this.counter === undefined ? this.begin() : this.counter + 1;
    }
    this.holder = id;
    return { for: true, token: this.counter };
  }

  raise(id: string, token: number): boolean {
    if (this.holder !== id) return false;
    this.counter = Math.max(this.counter ?? 0, token);
    return true;
  }

  release(id: string): boolean {
    if (this.holder !== id) return false;
    this.holder = undefined;
    return true;
  }
}

/** A way in which the algorithm could be wrong, to see that the test would notice. */
export type Mistake = 'no write-back' | 'unconditional write-back' | 'counters begin at 1';

export interface Grant {
  readonly token: number;
  /** When it was asked for and when it was known, in steps of the run. */
  readonly askedAt: number;
  readonly grantedAt: number;
}

const NODES = 5;
const CONTENDERS = 4;
const ATTEMPTS = 10;

/**
 * Contenders that ask five servers for one key, over a network that delays messages, loses them and changes their
 * order, while servers lose the key at any moment, as if clocks had jumped or memory had run out. The run is the same
 * for the same seed.
 */
export class RedlockRun {
  readonly grants: Grant[] = [];
  readonly #random: () => number;
  readonly #inFlight: (() => void)[] = [];
  readonly #servers: readonly ModelServer[];
  #step = 0;
  #atWork = 0;

  constructor(
    seed: number,
    private readonly mistake?: Mistake,
  ) {
    this.#random = generator(seed);
    const begin = () => (mistake === 'counters begin at 1' ? 1 : this.#step * 1_000);
    this.#servers = Array.from({ length: NODES }, () => new ModelServer(begin));
    // Nodes that have missed grants are what makes it hard to agree.
    for (const server of this.#servers) server.counter = 1 + this.#below(4);
  }

  async play(): Promise<readonly Grant[]> {
    for (let contender = 0; contender < CONTENDERS; contender += 1) void this.#contend(contender);
    while (this.#atWork > 0 || this.#inFlight.length > 0) {
      this.#step += 1;
      if (this.#chance(0.04)) this.#harm();
      const [deliver] = this.#inFlight.splice(this.#below(this.#inFlight.length), 1);
      deliver?.();
      await new Promise(setImmediate); // whatever follows from it in this process
    }
    return this.grants;
  }

  async #contend(contender: number): Promise<void> {
    this.#atWork += 1;
    const voters = this.#servers.map((server, index) => this.#voter(server, index));
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      await this.#delivery();
      const askedAt = this.#step;
      const id = `${contender}/${attempt}`;
      const request: LeaseRequest = { id, key: 'key', ttl: 1, mode: 'exclusive', permits: 1 };
      const outcome = await new RedlockAttempt(voters, request, 1).outcome;
      if (typeof outcome !== 'number') continue;
      this.grants.push({ token: outcome, askedAt, grantedAt: this.#step });
      await this.#delivery();
      // The others never hear of the end of this lease, and lose it by its ttl.
      if (this.#chance(0.8)) for (const voter of voters) voter.takeBack(request);
    }
    this.#atWork -= 1;
  }

  #voter(server: ModelServer, index: number): Voter {
    return {
      name: `node ${index + 1}`,
      vote: ({ id }) => this.#ask(() => server.vote(id)),
      raise: ({ id }, token) =>
        this.#ask(() => {
          if (this.mistake === 'no write-back') return true;
          if (this.mistake !== 'unconditional write-back') return server.raise(id, token);
          server.counter = Math.max(server.counter ?? 0, token);
          return true;
        }),
      takeBack: ({ id }) => void this.#ask(() => server.release(id)).catch(() => {}),
    };
  }

  /** The question or the answer may be lost on its way. */
  async #ask<T>(act: () => T): Promise<T> {
    await this.#delivery();
    if (this.#chance(0.05)) throw new NodeError('the question was lost', true);
    const answer = act();
    await this.#delivery();
    if (this.#chance(0.05)) throw new NodeError('the answer was lost', true);
    return answer;
  }

  #delivery(): Promise<void> {
    return new Promise((resolve) => {
      this.#inFlight.push(resolve);
    });
  }

  /** A server loses the key, or now and then all it has. */
  #harm(): void {
    const server = this.#servers[this.#below(NODES)];
    if (!server) return;
    server.holder = undefined;
    if (this.#chance(0.2)) server.counter = undefined;
  }

  #chance(probability: number): boolean {
    return this.#random() < probability;
  }

  #below(limit: number): number {
    return Math.floor(this.#random() * limit);
  }
}

/** Two grants with one token, or an earlier grant with the higher one. */
export function violationIn(grants: readonly Grant[]): string | undefined {
  for (const [index, first] of grants.entries()) {
    for (const second of grants.slice(index + 1)) {
      if (first.token === second.token) return `two grants have token ${first.token}`;
      const [earlier, later] = first.grantedAt < second.grantedAt ? [first, second] : [second, first];
      if (earlier.grantedAt < later.askedAt && earlier.token > later.token) {
        return `token ${earlier.token} was granted before ${later.token} was asked for`;
      }
    }
  }
  return undefined;
}

/** Numbers from 0 to 1 that are the same for the same seed. */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    // The constants of a linear congruential generator with a full period of 2^32.
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
