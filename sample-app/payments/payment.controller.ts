import { BadRequestException, Controller, Headers, HttpCode, Post, Query } from '@nestjs/common';
import { Locked } from '../query/locked.param.js';
import { NumberBetween } from '../query/number-between.pipe.js';
import { PaymentService, type Receipt } from './payment.service.js';

@Controller('payments')
export class PaymentController {
  constructor(private readonly payments: PaymentService) {}

  @Post()
  @HttpCode(200)
  async pay(
    @Headers('idempotency-key') idempotencyKey: string | undefined,
    @Query('amount', new NumberBetween(1, 1_000, 20)) amount: number,
    @Locked() locked: boolean,
  ): Promise<Receipt> {
    if (!idempotencyKey) throw new BadRequestException('the header Idempotency-Key is missing');
    const payment = { idempotencyKey, amount };
    return locked ? this.payments.pay(payment) : this.payments.payUnlocked(payment);
  }
}
