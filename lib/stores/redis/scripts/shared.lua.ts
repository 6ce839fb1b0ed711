/**
 * What the scripts share. Keys of one lock, all in one slot:
 *
 * - `LOCK`: a string. The id of the exclusive holder (of ours, or of any client that follows Redis's documented
 *   pattern), or a mark: `~shared`, `~permits:N` (the holders are in HOLDERS), `~kept` (released with keepFor).
 * - `FENCE`: a string. The last fencing token; expires a day after its last use.
 * - `QUEUE`: a sorted set of those who wait, by the time of their coming in microseconds.
 *   A member is `mode|permits|ttl|wait|inbox|id`; its inbox is the channel on which its process is woken.
 * - `HOLDERS`: a sorted set of ids by the end of their lease in milliseconds, for shared locks and semaphores.
 * - `TOKENS`: a sorted set of the same ids by their fencing token.
 *
 * Client time never enters. TIME is read once a script: it goes on inside one, while expiry stands still.
 */
export const SHARED = /* lua */ `
local LOCK, FENCE, QUEUE, HOLDERS, TOKENS = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local DAY = 86400000
-- How long after its wait someone may stand in the queue who died there.
local GRACE = 1000
-- One who was handed the key has this long to claim it; a grant that nobody hears of is over then.
local CLAIM = 2000
-- A script serves, or clears away, no more than this many.
local MOST = 100

local time = redis.call('TIME')
local US = time[1] * 1000000 + time[2]
local NOW = math.floor(US / 1000)

-- tostring would print 1.79e+15
local function text(number) return string.format('%.0f', number) end

local function nextToken()
  local last = tonumber(redis.call('GET', FENCE) or '0')
  local token = US
  if last >= US then token = last + 1 end
  redis.call('SET', FENCE, text(token), 'PX', DAY)
  return token
end

local function lastAtLeast(key, ms)
  if redis.call('PTTL', key) < ms then redis.call('PEXPIRE', key, ms) end
end

-- Holders whose lease has ended leave; the lock goes with the last of them.
local function expireHolders()
  local ended = redis.call('ZRANGEBYSCORE', HOLDERS, '-inf', NOW, 'LIMIT', 0, MOST)
  for _, id in ipairs(ended) do
    redis.call('ZREM', HOLDERS, id)
    redis.call('ZREM', TOKENS, id)
  end
  if redis.call('ZCARD', HOLDERS) == 0 then redis.call('DEL', LOCK) end
end

local function isMark(value) return value and string.sub(value, 1, 1) == '~' end

-- The value of the lock, with nothing in it that has ended.
local function currentLock()
  local value = redis.call('GET', LOCK)
  if value == '~shared' or (value and string.sub(value, 1, 9) == '~permits:') then
    expireHolders()
    value = redis.call('GET', LOCK)
  end
  return value
end

-- How many permits the key is used with, or nil where nobody says: kept, or held by another kind of client.
local function permitsOf(value)
  if not value then return nil end
  if string.sub(value, 1, 9) == '~permits:' then return tonumber(string.sub(value, 10)) end
  if value == '~shared' or string.match(value, '^%x+%-%x+%-%x+%-%x+%-%x+:%d+$') then return 1 end
  return nil
end

local function admits(value, mode, permits)
  if not value then return true end
  if mode == 's' then return value == '~shared' end
  return permits > 1 and value == '~permits:' .. permits and redis.call('ZCARD', HOLDERS) < permits
end

local function grant(value, id, mode, permits, ttl)
  local token = nextToken()
  if mode == 'x' and permits == 1 then
    redis.call('SET', LOCK, id, 'PX', ttl)
  else
    if not value then
      redis.call('DEL', HOLDERS, TOKENS)
      redis.call('SET', LOCK, mode == 's' and '~shared' or '~permits:' .. permits, 'PX', ttl)
    end
    redis.call('ZADD', HOLDERS, text(NOW + ttl), id)
    redis.call('ZADD', TOKENS, text(token), id)
    lastAtLeast(LOCK, ttl)
    lastAtLeast(HOLDERS, ttl)
    lastAtLeast(TOKENS, ttl)
  end
  return text(token)
end

local function parse(member)
  local mode, permits, ttl, wait, inbox, id = string.match(member, '^(.)|(%d+)|(%d+)|(%d+)|([^|]+)|(.+)$')
  return mode, tonumber(permits), tonumber(ttl), tonumber(wait), inbox, id
end

-- Tells a process to look again after so many milliseconds. It does not matter if nobody hears it.
local function tellToLook(member, ms)
  local _, _, _, _, inbox, id = parse(member)
  redis.pcall('PUBLISH', inbox, id .. ' ' .. text(ms))
end

--[[
  Serves those who wait, in order, for as long as the key admits them. One who is served owns the key for a short
  while (CLAIM), within which it has to ask for it again. So a grant that nobody hears of is soon over.
  'reliable': PUBLISH counts every subscriber (not so in Cluster), so that one whom nobody hears is gone.
  'caller' is told by the reply and needs no message; its grant is returned.
]]
local function serve(reliable, caller)
  local granted = nil
  for _ = 1, MOST do
    local head = redis.call('ZRANGE', QUEUE, 0, 0, 'WITHSCORES')
    local member = head[1]
    if not member then break end
    local mode, permits, ttl, wait, inbox, id = parse(member)
    if tonumber(head[2]) / 1000 + wait + GRACE < NOW then
      redis.call('ZREM', QUEUE, member)
    else
      local value = currentLock()
      if not admits(value, mode, permits) then break end
      redis.call('ZREM', QUEUE, member)
      if id == caller then
        granted = grant(value, id, mode, permits, ttl)
      else
        local heard = redis.pcall('PUBLISH', inbox, id)
        if not reliable or heard ~= 0 then
          grant(value, id, mode, permits, math.min(ttl, CLAIM))
          -- A process that is stopped, or cut off, is still subscribed and claims nothing. Who came last is the
          -- likeliest to be alive, and by looking has the next in line served.
          local last = redis.call('ZREVRANGE', QUEUE, 0, 0)[1]
          if last then tellToLook(last, CLAIM) end
        end
      end
    end
  end
  return granted
end
`;
