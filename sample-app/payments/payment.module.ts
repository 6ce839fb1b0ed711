import { Module } from '@nestjs/common';
import { BankClient } from './bank.client.js';
import { PaymentController } from './payment.controller.js';
import { PaymentService } from './payment.service.js';

@Module({ controllers: [PaymentController], providers: [PaymentService, BankClient] })
export class PaymentModule {}
