import { Global, Module } from '@nestjs/common';
import { redisUrl } from '../app.settings.js';
import { Database } from './database.js';
import { MemoryDatabase } from './memory.database.js';
import { RedisDatabase } from './redis.database.js';

@Global()
@Module({
  providers: [
    {
      provide: Database,
      useFactory: () => (redisUrl ? new RedisDatabase(redisUrl) : new MemoryDatabase()),
    },
  ],
  exports: [Database],
})
export class DatabaseModule {}
