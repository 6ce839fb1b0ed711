import { SHARED } from './shared.lua.js';

/**
 * Takes a lock, or stands in line for it. Asking again with the same id claims what was handed over meanwhile, or
 * keeps the place in line.
 *
 * KEYS  lock, fence, queue, holders, tokens
 * ARGV  id, ttl, queue member (with a wait of 0: do not stand in line), reliable (1: PUBLISH counts every subscriber)
 * Reply token                  granted
 *       {0, holder, left}      busy; the first of the leases ends in so many milliseconds
 *       {2, holder, left}      busy, and stands in line
 *       {3, permits}           the key is used with another number of permits
 */
export const ACQUIRE = /* lua */ `
-- Nearly every request finds the key free and nobody in line.
if string.sub(ARGV[3], 1, 4) == 'x|1|' and redis.call('EXISTS', KEYS[3]) == 0
    and redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then
  local time = redis.call('TIME')
  local token = time[1] * 1000000 + time[2]
  local last = redis.call('SET', KEYS[2], string.format('%.0f', token), 'PX', 86400000, 'GET')
  if last and tonumber(last) >= token then
    token = tonumber(last) + 1
    redis.call('SET', KEYS[2], string.format('%.0f', token), 'PX', 86400000)
  end
  return token
end
${SHARED}
local member, reliable = ARGV[3], ARGV[4] == '1'
local mode, permits, ttl, wait, _, id = parse(member)

local value = currentLock()
if value == id then
  lastAtLeast(LOCK, ttl)
  return redis.call('GET', FENCE)
end
local ends = redis.call('ZSCORE', HOLDERS, id)
if isMark(value) and ends then
  if tonumber(ends) < NOW + ttl then redis.call('ZADD', HOLDERS, text(NOW + ttl), id) end
  lastAtLeast(LOCK, ttl)
  lastAtLeast(HOLDERS, ttl)
  lastAtLeast(TOKENS, ttl)
  return text(tonumber(redis.call('ZSCORE', TOKENS, id)))
end

local granted = serve(reliable, id)
if granted then return granted end
value = currentLock()
local head = redis.call('ZRANGE', QUEUE, 0, 0)[1]
local used = permitsOf(value)
if not used and head then local _, named = parse(head); used = named end
if used and used ~= permits then return {3, used} end
if not head and admits(value, mode, permits) then return grant(value, id, mode, permits, ttl) end

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
