import type { Redis } from 'ioredis';

/** What a test itself sends while it counts. */
const OWN = /^(?:info|config\b|ping|client\b|hello|select|auth)/;

/** How often each command was carried out by the server, also inside of scripts. */
export class CommandCounts {
  private constructor(readonly calls: ReadonlyMap<string, number>) {}

  /** Counts what the server did, for whomever, while the function ran. */
  static async during(client: Redis, work: () => Promise<unknown>): Promise<CommandCounts> {
    const before = await read(client);
    await work();
    const after = await read(client);
    const calls = [...after].map(([name, count]) => [name, count - (before.get(name) ?? 0)] as const);
    return new CommandCounts(new Map(calls.filter(([name, count]) => count > 0 && !OWN.test(name))));
  }

  /** The same on several servers, in the order of the clients. */
  static async duringAll(
    [client, ...others]: readonly Redis[],
    work: () => Promise<unknown>,
  ): Promise<readonly CommandCounts[]> {
    if (!client) {
      await work();
      return [];
    }
    let counts: readonly CommandCounts[] = [];
    const first = await CommandCounts.during(client, async () => {
      counts = await CommandCounts.duringAll(others, work);
    });
    return [first, ...counts];
  }

  /** Of these commands, or of all. */
  of(...names: readonly string[]): number {
    let sum = 0;
    for (const [name, count] of this.calls) if (names.length === 0 || names.includes(name)) sum += count;
    return sum;
  }

  /** Each is a round trip. */
  get scripts(): number {
    return this.of('eval', 'evalsha');
  }

  get messages(): number {
    return this.of('publish');
  }
}

async function read(client: Redis): Promise<Map<string, number>> {
  const lines = (await client.info('commandstats')).matchAll(/^cmdstat_([^:]+):calls=(\d+)/gm);
  return new Map([...lines].map(([, name = '', calls]) => [name, Number(calls)]));
}
