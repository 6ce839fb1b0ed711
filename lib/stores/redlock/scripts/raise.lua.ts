/**
 * Raises a node's counter to the token of a grant, while the node is still held by it: a counter that is raised by one
 * who has lost the node would tell nobody that it was lost.
 *
 * KEYS  lock, fence
 * ARGV  id, token
 * Reply 1 raised, 0 the node is not held by this id any more
 */
export const RAISE = /* lua */ `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
if tonumber(redis.call('GET', KEYS[2]) or 0) < tonumber(ARGV[2]) then
  redis.call('SET', KEYS[2], ARGV[2], 'PX', 86400000)
end
return 1
`;
