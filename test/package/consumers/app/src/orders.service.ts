import { Injectable } from '@nestjs/common';
import { DistributedLock } from 'nestjs-distributed-lock';
import { Meter } from './meter.js';

@Injectable()
export class OrdersService {
  readonly meter = new Meter();

  @DistributedLock({ key: 'order:{id}' })
  async ship(id: string): Promise<string> {
    await this.meter.pass();
    return id;
  }
}
