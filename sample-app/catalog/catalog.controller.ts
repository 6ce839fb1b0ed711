import { CacheInterceptor, CacheTTL } from '@nestjs/cache-manager';
import { Controller, Get, HttpCode, Param, Post, Query, UseInterceptors } from '@nestjs/common';
import { LockedCacheInterceptor } from 'nestjs-distributed-lock/cache';
import { Locked } from '../query/locked.param.js';
import { NumberBetween } from '../query/number-between.pipe.js';
import { type RushReport, RushService } from './rush.service.js';
import { type Product, SupplierClient } from './supplier.client.js';

const TEN_SECONDS = 10_000;

@Controller('catalog')
@CacheTTL(TEN_SECONDS)
export class CatalogController {
  constructor(
    private readonly supplier: SupplierClient,
    private readonly rushes: RushService,
  ) {}

  /** However many ask at once, in however many instances: one of them asks the supplier. */
  @Get(':id')
  @UseInterceptors(LockedCacheInterceptor)
  find(@Param('id') id: string): Promise<Product> {
    return this.supplier.load(id);
  }

  /** The same with Nest's own interceptor: all who find nothing in the cache ask the supplier. */
  @Get(':id/unlocked')
  @UseInterceptors(CacheInterceptor)
  findUnlocked(@Param('id') id: string): Promise<Product> {
    return this.supplier.load(id);
  }

  @Post(':id/rush')
  @HttpCode(200)
  rush(
    @Param('id') id: string,
    @Query('requests', new NumberBetween(1, 500, 200)) requests: number,
    @Locked() locked: boolean,
  ): Promise<RushReport> {
    return this.rushes.rush(id, requests, locked);
  }
}
