/**
 * Asks one node for its vote. Asking again with the same id brings the same vote.
 *
 * The counter begins at the time in whole seconds, as a number of microseconds: nodes whose clocks agree to the second
 * begin alike, and one that lost its counter does not go back. So a counter may also expire, a day after it began.
 *
 * KEYS  lock, fence
 * ARGV  id, ttl
 * Reply token               for
 *       {holder, left}      against: held for so many milliseconds more
 */
export const VOTE = /* lua */ `
if not redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then
  local holder, left = redis.call('GET', KEYS[1]), redis.call('PTTL', KEYS[1])
  if holder ~= ARGV[1] then return {holder, left} end
  if left < tonumber(ARGV[2]) then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
  local counted = redis.call('GET', KEYS[2])
  if counted then return tonumber(counted) end
end
local token = redis.call('INCR', KEYS[2])
if token > 1 then return token end
token = redis.call('TIME')[1] * 1000000
redis.call('SET', KEYS[2], string.format('%.0f', token), 'PX', 86400000)
return token
`;
