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
 * Gives leases that a majority holds to a node that has nothing of them: one that restarted empty, or voted too late.
 * Up to a hundred a call. A key that another holds here stays as it is.
 *
 * KEYS  for each: lock, fence
 * ARGV  for each: id, ttl, token
 * Reply nil
 */
export const HEAL = /* lua */ `
for index = 1, #KEYS / 2 do
  local lock, fence = KEYS[index * 2 - 1], KEYS[index * 2]
  local id, ttl, token = ARGV[index * 3 - 2], ARGV[index * 3 - 1], ARGV[index * 3]
  if redis.call('SET', lock, id, 'NX', 'PX', ttl)
      and tonumber(redis.call('GET', fence) or 0) < tonumber(token) then
    redis.call('SET', fence, token, 'PX', 86400000)
  end
end
`;
