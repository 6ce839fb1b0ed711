/**
 * Compares and writes in one step, so that nobody comes in between.
 *
 * KEYS  the row, a hash
 * ARGV  value, fencing token
 * Reply nil, or the larger token because of which nothing was written
 */
export const FENCED_WRITE = /* lua */ `
local fence = redis.call('HGET', KEYS[1], 'fence')
if fence and tonumber(ARGV[2]) < tonumber(fence) then return fence end
redis.call('HSET', KEYS[1], 'value', ARGV[1], 'fence', ARGV[2])
return nil
`;
