/** Tells those who wait here, and how many processes they are: they spread out, so that one of them wins. */
const TELL = /* lua */ `
local function tell(channel)
  local waiting = redis.pcall('PUBSUB', 'NUMSUB', channel)[2]
  if waiting and waiting > 0 then redis.pcall('PUBLISH', channel, waiting) end
end
`;

/**
 * Ends a lease on one node.
 *
 * KEYS  lock
 * ARGV  id, keepFor (ms), channel of those who wait
 * Reply 1 the lease was the owner's, 0 it was not
 */
export const RELEASE = /* lua */ `
${TELL}
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
if ARGV[2] ~= '0' then
  redis.call('SET', KEYS[1], '~kept', 'PX', ARGV[2])
else
  redis.call('DEL', KEYS[1])
  tell(ARGV[3])
end
return 1
`;

/**
 * Takes a key from whoever holds it here.
 *
 * KEYS  lock
 * ARGV  channel of those who wait
 * Reply 1 it was held, 0 it was free
 */
export const FORCE_RELEASE = /* lua */ `
${TELL}
local held = redis.call('DEL', KEYS[1])
tell(ARGV[1])
return held
`;
