import type { AddressInfo } from 'node:net';
import { Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { SupplierClient } from './supplier.client.js';

export interface RushReport {
  readonly requests: number;
  /** How often the supplier was asked for the product, by all instances together. */
  readonly loads: number;
  /** How long it took. */
  readonly milliseconds: number;
}

/** Many ask this instance for one product at the same time, over HTTP. */
@Injectable()
export class RushService {
  constructor(
    private readonly supplier: SupplierClient,
    private readonly host: HttpAdapterHost,
  ) {}

  async rush(id: string, requests: number, locked: boolean): Promise<RushReport> {
    const url = `${this.#url()}/catalog/${encodeURIComponent(id)}${locked ? '' : '/unlocked'}`;
    const start = performance.now();
    await Promise.all(Array.from({ length: requests }, () => get(url)));
    const milliseconds = Math.round(performance.now() - start);
    return { requests, loads: await this.supplier.loadsOf(id), milliseconds };
  }

  #url(): string {
    const { address, port } = this.host.httpAdapter.getHttpServer().address() as AddressInfo;
    return `http://${address}:${port}`;
  }
}

async function get(url: string): Promise<void> {
  const response = await fetch(url);
  await response.arrayBuffer(); // frees the connection
  if (!response.ok) throw new Error(`${url} answered ${response.status}`);
}
