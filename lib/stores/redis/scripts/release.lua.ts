import { SHARED } from './shared.lua.js';

/**
 * Ends a lease or a place in line, and hands the key to whoever is next.
 *
 * KEYS  lock, fence, queue, holders, tokens
 * ARGV  id, keepFor (ms), reliable, queue member (of one who may stand in line)
 * Reply 1 the lease was the owner's, 0 it was not
 */
export const RELEASE = /* lua */ `
-- Nearly every release finds its own lock, and nobody in line.
if ARGV[2] == '0' and redis.call('EXISTS', KEYS[3]) == 0 and redis.call('GET', KEYS[1]) == ARGV[1] then
  return redis.call('DEL', KEYS[1])
end
${SHARED}
local id, keepFor, reliable, member = ARGV[1], tonumber(ARGV[2]), ARGV[3] == '1', ARGV[4]

if member then redis.call('ZREM', QUEUE, member) end
local value = currentLock()
local released = 0
if value == id then
  released = 1
  if keepFor > 0 then redis.call('SET', LOCK, '~kept', 'PX', keepFor) else redis.call('DEL', LOCK) end
elseif isMark(value) and redis.call('ZREM', HOLDERS, id) == 1 then
  released = 1
  redis.call('ZREM', TOKENS, id)
  if keepFor > 0 then
    redis.call('ZADD', HOLDERS, text(NOW + keepFor), '~kept:' .. id)
    -- Until the last of them ends: what is kept may end later than its lease would have, or sooner.
    local last = tonumber(redis.call('ZREVRANGE', HOLDERS, 0, 0, 'WITHSCORES')[2])
    for _, key in ipairs({LOCK, HOLDERS, TOKENS}) do redis.call('PEXPIRE', key, last - NOW) end
  end
  if redis.call('ZCARD', HOLDERS) == 0 then redis.call('DEL', LOCK, HOLDERS, TOKENS) end
end
serve(reliable, nil)
if keepFor > 0 and released == 1 then
  local head = redis.call('ZRANGE', QUEUE, 0, 0)[1]
  if head then tellToLook(head, keepFor) end
end
return released
`;
