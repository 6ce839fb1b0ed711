import KeyvRedis from '@keyv/redis';
import { CacheModule } from '@nestjs/cache-manager';
import { Module } from '@nestjs/common';
import { redisUrl } from '../app.settings.js';
import { CatalogController } from './catalog.controller.js';
import { RushService } from './rush.service.js';
import { SupplierClient } from './supplier.client.js';

@Module({
  imports: [CacheModule.register(redisUrl ? { stores: new KeyvRedis(redisUrl) } : {})],
  controllers: [CatalogController],
  providers: [SupplierClient, RushService],
})
export class CatalogModule {}
