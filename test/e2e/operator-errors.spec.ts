import { expect, it } from 'vitest';
import { LockService, LockUnavailableError } from '../../lib/index.js';
import { ControllableStore } from '../../lib/testing/index.js';
import { errorOf } from '../support/deferred.js';

async function listAll(locks: LockService): Promise<void> {
  for await (const { key } of locks.list()) expect.fail(`${key} is held`);
}

const QUESTIONS: Readonly<Record<string, (locks: LockService) => Promise<unknown>>> = {
  '"k" cannot be inspected': (locks) => locks.inspect('k'),
  '"k" cannot be released': (locks) => locks.forceRelease('k'),
  'locks cannot be listed': listAll,
};

it.each(Object.entries(QUESTIONS))('%s: a store that is down is told as such', async (problem, ask) => {
  const store = new ControllableStore();
  store.goDown(new Error('connection refused.'));
  const error = await errorOf(ask(new LockService({ store })));
  expect(error).toBeInstanceOf(LockUnavailableError);
  expect(String(error)).toContain(`${problem}: the controllable store failed: connection refused.`);
  expect(String(error)).not.toContain('..');
});

it.each(Object.entries(QUESTIONS))('%s: so is one that is silent', async (problem, ask) => {
  const store = new ControllableStore();
  store.goSilent();
  const asked = errorOf(ask(new LockService({ store, storeTimeout: '1s' })));
  await store.clock.advance('2s');
  const error = await asked;
  expect(error).toBeInstanceOf(LockUnavailableError);
  expect(String(error)).toContain(problem);
});
