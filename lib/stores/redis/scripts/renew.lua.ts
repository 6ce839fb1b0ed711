/**
 * Renews exclusive leases, up to a hundred a call. Never ends one sooner, never revives one.
 *
 * KEYS  a lock each
 * ARGV  for each: id, ttl
 * Reply for each: 1 renewed, 0 not the owner's any more
 */
export const RENEW = /* lua */ `
local renewed = {}
for index, lock in ipairs(KEYS) do
  local ttl = tonumber(ARGV[index * 2])
  if redis.call('GET', lock) == ARGV[index * 2 - 1] then
    if redis.call('PTTL', lock) < ttl then redis.call('PEXPIRE', lock, ttl) end
    renewed[index] = 1
  else
    renewed[index] = 0
  end
end
return renewed
`;

/**
 * Renews leases of shared locks and semaphores, up to a hundred a call.
 *
 * KEYS  for each: lock, holders, tokens
 * ARGV  for each: id, ttl
 * Reply for each: 1 renewed, 0 not the owner's any more
 */
export const RENEW_HOLDERS = /* lua */ `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local renewed = {}
for index = 1, #KEYS / 3 do
  local lock, holders, tokens = KEYS[index * 3 - 2], KEYS[index * 3 - 1], KEYS[index * 3]
  local id, ttl = ARGV[index * 2 - 1], tonumber(ARGV[index * 2])
  local ends = redis.call('ZSCORE', holders, id)
  if ends and tonumber(ends) > now and redis.call('EXISTS', lock) == 1 then
    if tonumber(ends) < now + ttl then
      redis.call('ZADD', holders, string.format('%.0f', now + ttl), id)
    end
    for _, key in ipairs({lock, holders, tokens}) do
      if redis.call('PTTL', key) < ttl then redis.call('PEXPIRE', key, ttl) end
    end
    renewed[index] = 1
  else
    renewed[index] = 0
  end
end
return renewed
`;
