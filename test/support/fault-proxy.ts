import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/**
 * - `pass`: no fault.
 * - `hang`: connected but silent, as in a partition; what is sent meanwhile is lost for good.
 * - `drop-answers`: requests arrive, their answers are lost.
 * - `reset`: the next byte, either way, resets its connection; new connections are reset.
 * - `refuse`: what is connected works, new connections are reset.
 */
export type ProxyMode = 'pass' | 'hang' | 'drop-answers' | 'reset' | 'refuse';

/** A TCP proxy on loopback with faults that a test switches on and off. */
export class FaultProxy {
  mode: ProxyMode = 'pass';
  /** Bytes are held back this many milliseconds, each way. */
  latency = 0;
  readonly #target: number;
  readonly #sockets = new Set<Socket>();
  readonly #server = createServer((client) => this.#accept(client));

  private constructor(target: number) {
    this.#target = target;
  }

  /** Listens on a free port, before the server that listens on `target`. */
  static async start(target: number): Promise<FaultProxy> {
    const proxy = new FaultProxy(target);
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Connections from clients that are open now. */
  get connections(): number {
    return this.#sockets.size / 2;
  }

  /** Resets every connection that is open now. New ones are welcome, unless `mode` says otherwise. */
  cut(): void {
    for (const socket of this.#sockets) socket.resetAndDestroy();
  }

  /** What is connected now is silent for good, as when something between has forgotten it. New connections work. */
  forget(): void {
    for (const socket of this.#sockets) {
      socket.removeAllListeners('data');
      socket.resume();
    }
  }

  /** Ends every fault. What hung has lost bytes, so its connections are cut. */
  heal(): void {
    const lossy = this.mode === 'hang' || this.mode === 'drop-answers';
    this.mode = 'pass';
    this.latency = 0;
    if (lossy) this.cut();
  }

  async close(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.cut();
    await closed;
  }

  #accept(client: Socket): void {
    if (this.mode === 'reset' || this.mode === 'refuse') {
      client.on('error', () => {});
      client.resetAndDestroy();
      return;
    }
    const server = connect(this.#target, '127.0.0.1');
    this.#pump(client, server, ['hang']);
    this.#pump(server, client, ['hang', 'drop-answers']);
  }

  #pump(from: Socket, to: Socket, lostIn: readonly ProxyMode[]): void {
    this.#sockets.add(from);
    from.setNoDelay(true);
    from.on('error', () => {});
    from.on('close', () => {
      this.#sockets.delete(from);
      to.destroy();
    });
    from.on('data', (bytes) => {
      if (this.mode === 'reset') {
        from.resetAndDestroy();
        to.resetAndDestroy();
      } else if (!lostIn.includes(this.mode)) {
        if (this.latency > 0) setTimeout(() => to.writable && to.write(bytes), this.latency);
        else to.write(bytes);
      }
    });
  }
}
