import 'reflect-metadata';
import { Redis } from 'ioredis';
import { redisStore } from 'nestjs-distributed-lock/redis';
import { withLocks } from '../contenders/locks.app.js';
import { ours } from '../contenders/ours.contenders.js';
import { sharedTime } from '../harness/child.js';
import { peers } from './contenders/peers.contenders.js';
import { CHANNEL, KEY } from './hand-off.messages.js';

const [, , url = ''] = process.argv;
const client = new Redis(url);
const subscriber = new Redis(url);
await subscriber.subscribe(CHANNEL);
subscriber.on('message', () => process.send?.(sharedTime()));

await withLocks(redisStore({ client }), async (locks) => {
  const contenders = [ours(locks), ...(await peers(client))];
  const takeTurn = async (name: unknown) => {
    const taking = contenders.find((contender) => contender.name === name)?.take(KEY);
    await client.ping(); // sent after the question, so that it is answered after it
    process.send?.('asked');
    const release = await taking;
    process.send?.(sharedTime());
    await release?.();
    process.send?.('released');
  };
  process.on('message', (name) => void takeTurn(name));
  process.send?.('ready');
  await new Promise((resolve) => process.once('disconnect', resolve));
});
client.disconnect();
subscriber.disconnect();
