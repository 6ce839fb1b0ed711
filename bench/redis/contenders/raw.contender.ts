import { createHash, randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import { type Contender, TTL } from '../../contenders/contender.js';

const COMPARE_AND_DELETE = /* lua */ `
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0
`;
const SHA = createHash('sha1').update(COMPARE_AND_DELETE).digest('hex');

/** Redis's documented pattern with nothing around it: no wait, no renewal, no fencing token. */
export async function raw(client: Redis): Promise<Contender> {
  await client.script('LOAD', COMPARE_AND_DELETE);
  const instance = randomUUID();
  let last = 0;
  return {
    name: 'raw ioredis',
    turn: async (key) => {
      last += 1;
      const id = `${instance}:${last}`;
      if ((await client.set(key, id, 'PX', TTL, 'NX')) !== 'OK') throw new Error(`${key} is busy`);
      if ((await client.evalsha(SHA, 1, key, id)) !== 1) throw new Error(`${key} was lost`);
    },
  };
}
