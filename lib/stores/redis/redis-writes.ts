import type { Cluster, Redis } from 'ioredis';

/** So many are written together at most: the server then works on them while the next are made. */
const MOST = 32;

/**
 * Has what is sent in one turn of the event loop written together: ioredis makes a system call for each command,
 * which takes a busy process nearly half of its time. What is sent while nothing is under way is written at once.
 */
export class RedisWrites {
  #underWay = 0;
  #gathered = 0;
  #corked: Redis['stream'] | undefined;

  constructor(private readonly client: Redis | Cluster) {}

  /** A command is about to be sent. */
  begin(): void {
    this.#underWay += 1;
    if (this.#underWay === 1) return;
    this.#gathered += 1;
    if (!this.#corked) this.#cork();
    else if (this.#gathered % MOST === 0) {
      this.#corked.uncork();
      this.#corked.cork();
    }
  }

  /** It was answered, or failed. */
  end(): void {
    this.#underWay -= 1;
  }

  #cork(): void {
    // A cluster has a connection for each node; none where there is no connection now.
    const stream = this.client.isCluster ? undefined : (this.client as Redis).stream;
    if (!stream) return;
    this.#corked = stream;
    stream.cork();
    process.nextTick(() => {
      this.#corked = undefined;
      stream.uncork();
    });
  }
}
