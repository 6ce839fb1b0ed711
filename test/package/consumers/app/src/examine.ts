import 'reflect-metadata';
import { setTimeout } from 'node:timers/promises';
import { INestApplication } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { SchedulerRegistry } from '@nestjs/schedule';
import { currentLock, LockService } from 'nestjs-distributed-lock';
import { AppModule } from './app.module.js';
import { Jobs } from './jobs.js';
import { Meter } from './meter.js';
import { OrdersController } from './orders.controller.js';
import { OrdersService } from './orders.service.js';

/** Boots the application, uses it, and tells what it saw. */
export async function examine(): Promise<object> {
  const app = await NestFactory.create(AppModule, { logger: ['error', 'warn'], abortOnError: false });
  await app.listen(0, '127.0.0.1');
  try {
    const orders = app.get(OrdersService);
    return {
      service: await mostAtOnce(orders.meter, (id) => orders.ship(id)),
      above: await examineRoute(app, 'above'),
      below: await examineRoute(app, 'below'),
      jobs: await examineJobs(app),
      run: await app.get(LockService).run('report', () => currentLock().key),
    };
  } finally {
    await app.close();
  }
}

async function examineRoute(app: INestApplication, name: string): Promise<object> {
  const url = await app.getUrl();
  const post = (id: string, role: string) =>
    fetch(`${url}/orders/${id}/${name}?note=fragile`, { method: 'POST', headers: { 'x-role': role } });
  const answer = await post('7', 'clerk');
  return {
    status: answer.status,
    header: answer.headers.get('x-answer'),
    body: await answer.json(),
    otherRole: (await post('7', 'guest')).status,
    badId: (await post('seven', 'clerk')).status,
    ...(await mostAtOnce(app.get(OrdersController).meter, (id) => post(id, 'clerk'))),
  };
}

/** Other keys show that the meter would have seen calls of the same key side by side. */
async function mostAtOnce(meter: Meter, call: (id: string) => Promise<unknown>): Promise<object> {
  meter.takeMost();
  await Promise.all([call('1'), call('1')]);
  const sameKey = meter.takeMost();
  await Promise.all([call('1'), call('2')]);
  return { sameKey, otherKeys: meter.takeMost() };
}

async function examineJobs(app: INestApplication): Promise<object> {
  const { keys } = app.get(Jobs);
  for (let tries = 0; keys.size < 4 && tries < 50; tries++) await setTimeout(100);
  return { registered: [...app.get(SchedulerRegistry).getCronJobs().keys()].sort(), ran: [...keys].sort() };
}
