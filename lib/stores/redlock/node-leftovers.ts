import type { LeaseName } from './redlock-node.js';

/** So many are remembered at most; what is forgotten ends by its ttl. */
const MOST = 1_000;

/**
 * Leases that a node may have and should not: it was asked to end them, and did not answer. It is asked again when it
 * is back, behind whatever was sent to it before.
 */
export class NodeLeftovers {
  readonly #leftovers = new Map<string, LeaseName>();

  constructor(private readonly release: (lease: LeaseName) => Promise<unknown>) {}

  add({ key, id }: LeaseName): void {
    this.#leftovers.set(id, { key, id });
    const [oldest] = this.#leftovers.keys();
    if (this.#leftovers.size > MOST && oldest !== undefined) this.#leftovers.delete(oldest);
  }

  /** All at once: they are few, and the node has just shown that it answers. */
  sweep(): void {
    for (const [id, lease] of this.#leftovers) {
      this.#leftovers.delete(id);
      this.release(lease).catch(() => this.add(lease));
    }
  }
}
