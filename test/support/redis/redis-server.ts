import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis, type RedisOptions } from 'ioredis';
import { ensureDebianPackage, isOnPath } from '../debian-package.js';
import { freePort } from './free-port.js';
import { InVain, until } from './until.js';

const running = new Set<RedisServer>();
process.on('exit', () => {
  for (const server of running) server.abandon();
});
// So does vitest end a worker, which then would not get to its exit.
process.once('SIGTERM', () => process.exit(143));

/** Where the system can do it, servers die with the tests even when those are killed. */
const DIES_WITH_US = isOnPath('setpriv') ? ['setpriv', '--pdeathsig', 'KILL'] : [];

/** ioredis 6 types `replyMapping` such that its own options do not fit with `exactOptionalPropertyTypes`. */
export type RedisConnection = Omit<RedisOptions, 'replyMapping'>;

export interface RedisServerOptions {
  /** More arguments of `redis-server`, such as `'--maxmemory', '2mb'`. */
  readonly args?: readonly string[];
  /** A free one by default. */
  readonly port?: number;
  /** Files of its folder by their names. One called `redis.conf` is its configuration. */
  readonly files?: Readonly<Record<string, string>>;
  /** What a client needs besides the port. */
  readonly connection?: RedisConnection;
  /** Environment variables, besides those of the test. */
  readonly env?: Readonly<Record<string, string>>;
}

/** A real `redis-server`, as a child of the test's process, in a temporary folder. */
export class RedisServer {
  readonly port: number;
  /** Its working directory; its log is the file `log` in it. */
  readonly folder = mkdtempSync(join(tmpdir(), 'redis-'));
  /** What a client of ioredis needs to reach it. */
  readonly connection: RedisConnection;
  #args: readonly string[];
  readonly #env: Readonly<Record<string, string>>;
  readonly #hasConfig: boolean;
  readonly #clients = new Set<Redis>();
  #process: ChildProcess | undefined;

  private constructor(
    port: number,
    { args = [], files = {}, connection = {}, env = {} }: RedisServerOptions,
  ) {
    this.port = port;
    this.connection = { host: '127.0.0.1', port, ...connection };
    this.#args = args;
    this.#env = env;
    this.#hasConfig = 'redis.conf' in files;
    for (const [name, text] of Object.entries(files)) writeFileSync(join(this.folder, name), text);
  }

  /** Resolves when the server answers. */
  static async start(options: RedisServerOptions = {}): Promise<RedisServer> {
    ensureDebianPackage('redis-server', 'redis-server');
    const server = new RedisServer(options.port ?? (await freePort()), options);
    await server.#launch();
    return server;
  }

  get url(): string {
    return `${this.connection.tls ? 'rediss' : 'redis'}://127.0.0.1:${this.port}`;
  }

  get alive(): boolean {
    return this.#process !== undefined;
  }

  /** A client for the test itself, closed with the server. It does not retry commands on new connections. */
  client(options: RedisConnection = {}): Redis {
    const client = new Redis({ ...this.connection, maxRetriesPerRequest: 0, ...options });
    client.on('error', () => {});
    this.#clients.add(client);
    client.once('end', () => this.#clients.delete(client));
    return client;
  }

  /** One command over a connection of its own. */
  async command(...[name, ...args]: readonly [string, ...(string | number)[]]): Promise<unknown> {
    const client = this.client({ retryStrategy: () => null });
    try {
      return await client.call(name, ...args);
    } finally {
      client.disconnect();
    }
  }

  /** Ends it as an administrator would, with SIGTERM, and removes its folder. */
  async stop(): Promise<void> {
    for (const client of this.#clients) client.disconnect();
    // A process that is paused would not notice.
    this.resume();
    await this.#end('SIGTERM');
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** A crash: SIGKILL. */
  kill(): Promise<void> {
    return this.#end('SIGKILL');
  }

  /** Hangs: connections stay open, nothing is answered. */
  pause(): void {
    this.#process?.kill('SIGSTOP');
  }

  resume(): void {
    this.#process?.kill('SIGCONT');
  }

  /**
   * Starts it again on the same port, after a kill or by one. It comes back empty, as it saves nothing,
   * unless `keepData`: then it saves before it ends, which needs a server that still answers.
   */
  async restart({
    args,
    keepData = false,
  }: {
    args?: readonly string[];
    keepData?: boolean;
  } = {}): Promise<void> {
    if (keepData) await this.command('SAVE');
    else rmSync(join(this.folder, 'dump.rdb'), { force: true });
    await this.kill();
    if (args) this.#args = args;
    await this.#launch();
  }

  /** For the end of the test's process, where nothing can be awaited. */
  abandon(): void {
    this.#process?.kill('SIGKILL');
    rmSync(this.folder, { recursive: true, force: true });
  }

  async #launch(): Promise<void> {
    const log = openSync(join(this.folder, 'log'), 'a');
    const [program, ...args] = [...DIES_WITH_US, 'redis-server', ...this.#arguments()] as [string];
    const child = spawn(program, args, {
      stdio: ['ignore', log, log],
      cwd: this.folder,
      env: { ...process.env, ...this.#env },
    });
    closeSync(log);
    this.#process = child;
    running.add(this);
    child.once('exit', () => {
      if (this.#process === child) this.#process = undefined;
      running.delete(this);
    });
    await until(`redis-server on port ${this.port} answers (its log: ${this.folder}/log)`, async () => {
      if (!this.alive) throw new InVain(`redis-server ended at once: ${this.#takeLog()}`);
      return (await this.command('PING')) === 'PONG';
    });
  }

  /** What a server that will not be started again has written. */
  #takeLog(): string {
    const log = readFileSync(join(this.folder, 'log'), 'utf8');
    rmSync(this.folder, { recursive: true, force: true });
    return log;
  }

  #arguments(): readonly string[] {
    const defaults = {
      port: String(this.port),
      bind: '127.0.0.1',
      dir: this.folder,
      save: '',
      appendonly: 'no',
      'protected-mode': 'no',
      // A replica would wait 5 s for others to share its synchronization with.
      'repl-diskless-sync-delay': '0',
    };
    const config = this.#hasConfig ? ['redis.conf'] : [];
    return [
      ...config,
      ...Object.entries(defaults).flatMap(([name, value]) => [`--${name}`, value]),
      ...this.#args,
    ];
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#process;
    if (!child) return;
    const ended = once(child, 'exit');
    child.kill(signal);
    await ended;
  }
}
