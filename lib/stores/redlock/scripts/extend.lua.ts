/**
 * Renews leases on one node, up to a hundred a call. Never ends one sooner, never revives one.
 *
 * KEYS  a lock each
 * ARGV  for each: id, ttl
 * Reply for each: 1 renewed, 0 another's, -1 nobody's
 */
export const EXTEND = /* lua */ `
local outcomes = {}
for index, lock in ipairs(KEYS) do
  local holder, ttl = redis.call('GET', lock), tonumber(ARGV[index * 2])
  if holder == ARGV[index * 2 - 1] then
    if redis.call('PTTL', lock) < ttl then redis.call('PEXPIRE', lock, ttl) end
    outcomes[index] = 1
  else
    outcomes[index] = holder and 0 or -1
  end
end
return outcomes
`;

/**
 * Gives a lease that a majority holds to a node that has nothing of it: one that restarted empty, or voted too late.
 *
 * KEYS  lock, fence
 * ARGV  id, ttl, token
 * Reply 1 healed, 0 another holds the key here
 */
export const HEAL = /* lua */ `
if not redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then return 0 end
if tonumber(redis.call('GET', KEYS[2]) or 0) < tonumber(ARGV[3]) then
  redis.call('SET', KEYS[2], ARGV[3], 'PX', 86400000)
end
return 1
`;
