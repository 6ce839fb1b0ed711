import { setTimeout as pause } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Database } from '../database/database.js';

export interface Product {
  readonly id: string;
  /** In cents. */
  readonly price: number;
}

/** Stands for a slow service of somebody else, who counts how often he is asked. */
@Injectable()
export class SupplierClient {
  constructor(private readonly database: Database) {}

  async load(id: string): Promise<Product> {
    await this.database.increment(`loads:${id}`);
    await pause(800);
    return { id, price: 4_900 };
  }

  /** How often a product was loaded, by all instances together. */
  loadsOf(id: string): Promise<number> {
    return this.database.count(`loads:${id}`);
  }
}
