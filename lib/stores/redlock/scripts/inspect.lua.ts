/**
 * Who holds a key on one node.
 *
 * KEYS  lock, fence
 * ARGV  none
 * Reply {holder or '', pttl, counter or '0'}
 */
export const INSPECT = /* lua */ `
return {redis.call('GET', KEYS[1]) or '', redis.call('PTTL', KEYS[1]), redis.call('GET', KEYS[2]) or '0'}
`;
