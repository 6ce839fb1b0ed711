/** Tells those who wait here, and how many processes they are: they spread out, so that one of them wins. */
const TELL = (channel: string) => /* lua */ `
local waiting = redis.pcall('PUBSUB', 'NUMSUB', ${channel})[2]
if waiting and waiting > 0 then redis.pcall('PUBLISH', ${channel}, waiting) end
`;

/**
 * Ends a lease on one node.
 *
 * KEYS  lock
 * ARGV  id, keepFor (ms), channel of those who wait, or nothing where nobody is to be told
 * Reply 1 the lease was the owner's, 0 it was not
 */
export const RELEASE = /* lua */ `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
if ARGV[2] ~= '0' then
  redis.call('SET', KEYS[1], '~kept', 'PX', ARGV[2])
  return 1
end
redis.call('DEL', KEYS[1])
if ARGV[3] == '' then return 1 end
${TELL('ARGV[3]')}
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
local held = redis.call('DEL', KEYS[1])
${TELL('ARGV[1]')}
return held
`;
