import { SHARED } from './shared.lua.js';

/**
 * Takes a lock, or stands in line for it. Asking again with the same id claims what was handed over meanwhile, or
 * keeps the place in line.
 *
 * KEYS  lock, fence, queue, holders, tokens
 * ARGV  id, ttl, mode (x | s), permits, wait (0: do not stand in line), queue member,
 *       reliable (1: PUBLISH counts every subscriber), claim (ms)
 * Reply {1, token}             granted
 *       {0, holder, left}      busy; the first of the leases ends in so many milliseconds
 *       {2, holder, left}      busy, and stands in line
 *       {3, permits}           the key is used with another number of permits
 */
export const ACQUIRE = /* lua */ `
-- Nearly every request finds the key free and nobody in line.
if ARGV[3] == 'x' and ARGV[4] == '1' and redis.call('EXISTS', KEYS[3]) == 0
    and redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then
  local time = redis.call('TIME')
  local token = time[1] * 1000000 + time[2]
  local last = redis.call('GET', KEYS[2])
  if last and tonumber(last) >= token then token = tonumber(last) + 1 end
  local written = string.format('%.0f', token)
  redis.call('SET', KEYS[2], written, 'PX', 86400000)
  return {1, written}
end
${SHARED}
local id, ttl, mode, permits = ARGV[1], tonumber(ARGV[2]), ARGV[3], tonumber(ARGV[4])
local wait, member = tonumber(ARGV[5]), ARGV[6]
local reliable, claim = ARGV[7] == '1', tonumber(ARGV[8])

local value = currentLock()
if value == id then
  lastAtLeast(LOCK, ttl)
  return {1, redis.call('GET', FENCE)}
end
local ends = redis.call('ZSCORE', HOLDERS, id)
if isMark(value) and ends then
  if tonumber(ends) < NOW + ttl then redis.call('ZADD', HOLDERS, text(NOW + ttl), id) end
  lastAtLeast(LOCK, ttl)
  lastAtLeast(HOLDERS, ttl)
  lastAtLeast(TOKENS, ttl)
  return {1, text(tonumber(redis.call('ZSCORE', TOKENS, id)))}
end

local granted = serve(reliable, claim, id)
if granted then return {1, granted} end
value = currentLock()
local head = redis.call('ZRANGE', QUEUE, 0, 0)[1]
local used = permitsOf(value)
if not used and head then local _, named = parse(head); used = named end
if used and used ~= permits then return {3, used} end
if not head and admits(value, mode, permits) then return {1, grant(value, id, mode, permits, ttl)} end

local holder, left = value, redis.call('PTTL', LOCK)
local first = isMark(value) and redis.call('ZRANGE', HOLDERS, 0, 0, 'WITHSCORES') or {}
if first[1] then holder, left = first[1], tonumber(first[2]) - NOW end
if wait == 0 then return {0, holder or '', left} end
-- Later than everyone in line, also when the server's clock was set back.
local last = redis.call('ZREVRANGE', QUEUE, 0, 0, 'WITHSCORES')[2]
local ticket = US
if last and tonumber(last) >= ticket then ticket = tonumber(last) + 1 end
redis.call('ZADD', QUEUE, 'NX', text(ticket), member)
lastAtLeast(QUEUE, wait + GRACE)
return {2, holder or '', left}
`;
