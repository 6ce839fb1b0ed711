import { afterAll, beforeAll, expect, it } from 'vitest';
import { systemClock } from '../../lib/base/clock.js';
import { RedisKeys } from '../../lib/stores/redis/redis-keys.js';
import { NodeRegister } from '../../lib/stores/redlock/node-register.js';
import { RedlockNode } from '../../lib/stores/redlock/redlock-node.js';
import { RedisServer } from '../support/redis/redis-server.js';
import { ModelServer } from '../support/redlock-model.js';

const PATIENCE = 10_000;

let server: RedisServer;

beforeAll(async () => {
  server = await RedisServer.start();
});

afterAll(() => server.stop());

function below(limit: number): number {
  return Math.floor(Math.random() * limit);
}

// The fencing of Redlock is tested on a model of its nodes: this is why the model can be believed.
it('a model node answers as the scripts do, whatever they are asked in whatever order', async () => {
  const client = server.client();
  const keys = new RedisKeys('lock:', '', false);
  const node = new RedlockNode(client, 0, keys, systemClock, new NodeRegister(() => {}));
  const model = new ModelServer(() => Number.NaN);
  const [lock, fence] = keys.of('key');
  await client.set(fence, 5);
  model.counter = 5;
  const history: string[] = [];
  for (let step = 0; step < 1_500; step += 1) {
    const id = `id-${below(3)}`;
    const token = (model.counter ?? 0) + below(4) - 1;
    const request = { id, key: 'key', ttl: 600_000, mode: 'exclusive', permits: 1 } as const;
    const kind = (['vote', 'raise', 'release', 'loss'] as const)[below(4)];
    history.push(`${kind} ${id} ${token}`);
    if (kind === 'vote') {
      const { expiresIn: _, ...vote } = { expiresIn: 0, ...(await node.vote(request, PATIENCE)) };
      expect(model.vote(id), history.slice(-8).join('; ')).toMatchObject(vote);
    } else if (kind === 'raise') {
      const raised = await node.raise(request, token, PATIENCE);
      expect(model.raise(id, token), history.slice(-8).join('; ')).toBe(raised);
    } else if (kind === 'release') {
      const released = await node.release(request, 0, PATIENCE);
      expect(model.release(id), history.slice(-8).join('; ')).toBe(released);
    } else {
      await client.del(lock);
      model.holder = undefined;
    }
    expect(Number(await client.get(fence)), history.slice(-8).join('; ')).toBe(model.counter);
  }
});
