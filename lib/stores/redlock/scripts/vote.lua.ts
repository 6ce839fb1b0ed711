/**
 * Asks one node for its vote. Asking again with the same id brings the same vote.
 *
 * The counter begins at the time in whole seconds, as a number of microseconds: nodes whose clocks agree to the second
 * begin alike, and one that lost its counter does not go back.
 *
 * KEYS  lock, fence
 * ARGV  id, ttl
 * Reply token               for
 *       {holder, left}      against: held for so many milliseconds more
 */
export const VOTE = /* lua */ `
local function count()
  local token = redis.call('INCR', KEYS[2])
  if token == 1 then
    token = redis.call('TIME')[1] * 1000000
    redis.call('SET', KEYS[2], string.format('%.0f', token))
  end
  redis.call('PEXPIRE', KEYS[2], 86400000)
  return token
end

if redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then return count() end
local holder = redis.call('GET', KEYS[1])
local left = redis.call('PTTL', KEYS[1])
if holder ~= ARGV[1] then return {holder, left} end
if left < tonumber(ARGV[2]) then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
return tonumber(redis.call('GET', KEYS[2]) or count())
`;
