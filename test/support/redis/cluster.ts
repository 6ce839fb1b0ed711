import { freeClusterPort } from './free-port.js';
import { RedisServer } from './redis-server.js';
import { until } from './until.js';

const SLOTS = 16_384;
const MASTERS = 3;

/** A server, and what `CLUSTER NODES` says of it. */
interface NodeView {
  readonly id: string;
  readonly server: RedisServer;
  readonly isMaster: boolean;
  /** First and last slot of each range. */
  readonly ranges: readonly (readonly [number, number])[];
}

/** Three masters, each with one replica. */
export class RedisCluster {
  readonly servers: readonly RedisServer[];

  private constructor(servers: readonly RedisServer[]) {
    this.servers = servers;
  }

  /** Resolves when every node calls the cluster ok, and every replica follows its master. */
  static async start({ args = [] }: { readonly args?: readonly string[] } = {}): Promise<RedisCluster> {
    const servers: RedisServer[] = [];
    // One after another: only a port that is in use is not given twice.
    for (let index = 0; index < 2 * MASTERS; index++) {
      const clusterArgs = ['--cluster-enabled', 'yes', '--cluster-node-timeout', '1000', ...args];
      servers.push(await RedisServer.start({ port: await freeClusterPort(), args: clusterArgs }));
    }
    const cluster = new RedisCluster(servers);
    await cluster.#assemble();
    return cluster;
  }

  /** Where the nodes are, as ioredis wants it: `new Cluster(cluster.nodes)`. */
  get nodes(): { host: string; port: number }[] {
    return this.servers.map(({ port }) => ({ host: '127.0.0.1', port }));
  }

  async slotOf(key: string): Promise<number> {
    return Number(await this.#living().command('CLUSTER', 'KEYSLOT', key));
  }

  /** The master of a key now, as a living node sees it. */
  async masterOf(key: string): Promise<RedisServer> {
    return (await this.#owner(await this.slotOf(key))).server;
  }

  /** Crashes the master of a key, and resolves with it when it is gone; `failedOver` awaits what follows. */
  async killMasterOf(key: string): Promise<RedisServer> {
    const master = await this.masterOf(key);
    await master.kill();
    return master;
  }

  /** Resolves with the new master of a key when it is another than this, and every living node is content. */
  async failedOver(key: string, from: RedisServer): Promise<RedisServer> {
    await until(`another node is the master of ${key}`, async () => (await this.masterOf(key)) !== from);
    await this.settled();
    return this.masterOf(key);
  }

  /**
   * Moves the slot of a key, with all its keys, to another master, and resolves with that.
   * `midway` runs while the slot is being moved and its keys have not yet been: existing keys are served
   * by the old master, missing ones redirected with ASK.
   */
  async migrateSlotOf(key: string, midway?: () => Promise<unknown>): Promise<RedisServer> {
    const slot = await this.slotOf(key);
    const views = await this.#views();
    const source = await this.#owner(slot);
    const masters = views.filter(({ isMaster, server }) => isMaster && server.alive);
    const target = masters.find(({ id }) => id !== source.id);
    if (!target) throw new Error('there is no other master to move to');
    await target.server.command('CLUSTER', 'SETSLOT', slot, 'IMPORTING', source.id);
    await source.server.command('CLUSTER', 'SETSLOT', slot, 'MIGRATING', target.id);
    await midway?.();
    await moveKeys(source.server, target.server, slot);
    // The target first: a slot must always have an owner.
    for (const { server } of [target, source, ...masters])
      await server.command('CLUSTER', 'SETSLOT', slot, 'NODE', target.id);
    await until('every node knows the new master', async () => {
      const living = this.servers.filter(({ alive }) => alive);
      const owners = await Promise.all(living.map(async (server) => (await this.#owner(slot, server)).id));
      return owners.every((id) => id === target.id);
    });
    return target.server;
  }

  /** Resolves when every living node calls the cluster ok. */
  async settled(): Promise<void> {
    await until('every node calls the cluster ok', async () => {
      const living = this.servers.filter(({ alive }) => alive);
      const infos = await Promise.all(living.map((server) => server.command('CLUSTER', 'INFO')));
      return infos.every((info) => String(info).includes('cluster_state:ok'));
    });
  }

  async stop(): Promise<void> {
    await Promise.all(this.servers.map((server) => server.stop()));
  }

  async #assemble(): Promise<void> {
    const [first] = this.servers as [RedisServer];
    const masters = this.servers.slice(0, MASTERS);
    for (const [index, server] of this.servers.entries()) {
      await server.command('CLUSTER', 'SET-CONFIG-EPOCH', index + 1);
      if (server !== first) await first.command('CLUSTER', 'MEET', '127.0.0.1', server.port);
    }
    for (const [index, master] of masters.entries()) {
      const start = Math.floor((index * SLOTS) / MASTERS);
      const end = Math.floor(((index + 1) * SLOTS) / MASTERS);
      const slots = Array.from({ length: end - start }, (_, offset) => start + offset);
      await master.command('CLUSTER', 'ADDSLOTS', ...slots);
    }
    for (const [index, replica] of this.servers.slice(MASTERS).entries()) {
      const master = masters[index] as RedisServer;
      const id = String(await master.command('CLUSTER', 'MYID'));
      await until('the replica knows its master', async () => {
        return (await replica.command('CLUSTER', 'REPLICATE', id)) === 'OK';
      });
    }
    await until('every node knows every replica, and has synchronized', async () => {
      const infos = await Promise.all(masters.map((master) => master.command('INFO', 'replication')));
      const views = await Promise.all(this.servers.map((server) => this.#views(server)));
      return (
        infos.every((info) => String(info).includes('state=online')) &&
        views.every((view) => view.filter(({ isMaster }) => !isMaster).length === MASTERS)
      );
    });
    await this.settled();
  }

  #living(): RedisServer {
    const server = this.servers.find(({ alive }) => alive);
    if (!server) throw new Error('no node is alive');
    return server;
  }

  async #owner(slot: number, asked = this.#living()): Promise<NodeView> {
    const views = await this.#views(asked);
    const found = views.find(({ ranges }) => ranges.some(([from, to]) => from <= slot && slot <= to));
    if (!found) throw new Error(`nobody owns slot ${slot}`);
    return found;
  }

  async #views(asked = this.#living()): Promise<readonly NodeView[]> {
    const lines = String(await asked.command('CLUSTER', 'NODES')).split('\n');
    return lines.filter(Boolean).flatMap((line) => {
      // id host:port@bus,hostname flags master ping pong epoch link slot slot …
      const [id = '', address = '', flags = '', , , , , , ...slots] = line.split(' ');
      const port = Number(/:(\d+)@/.exec(address)?.[1]);
      const server = this.servers.find((candidate) => candidate.port === port);
      if (!server) return [];
      return [{ id, server, isMaster: flags.split(',').includes('master'), ranges: slots.flatMap(rangeOf) }];
    });
  }
}

/** `5` or `5-9`; what is in brackets is a slot on its way, and still its old master's. */
function rangeOf(slots: string): readonly (readonly [number, number])[] {
  if (slots.startsWith('[')) return [];
  const [from, to = from] = slots.split('-').map(Number);
  return [[from as number, to as number]];
}

async function moveKeys(source: RedisServer, target: RedisServer, slot: number): Promise<void> {
  for (;;) {
    const keys = (await source.command('CLUSTER', 'GETKEYSINSLOT', slot, 100)) as readonly string[];
    if (keys.length === 0) return;
    await source.command('MIGRATE', '127.0.0.1', target.port, '', 0, 5_000, 'KEYS', ...keys);
  }
}
