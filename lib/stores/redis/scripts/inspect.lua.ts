import { SHARED } from './shared.lua.js';

/**
 * Who holds a key and who waits for it, at most a hundred of each.
 *
 * KEYS  lock, fence, queue, holders, tokens
 * ARGV  none
 * Reply {value or '', pttl, fence or '0', time in µs,
 *        {id, end of its lease in ms, …}, {id, token, …}, {queue member, …}}
 */
export const INSPECT = /* lua */ `
${SHARED}
local value = currentLock()
return {
  value or '', redis.call('PTTL', LOCK), redis.call('GET', FENCE) or '0', text(US),
  redis.call('ZRANGE', HOLDERS, 0, MOST - 1, 'WITHSCORES'),
  redis.call('ZRANGE', TOKENS, 0, MOST - 1, 'WITHSCORES'),
  redis.call('ZRANGE', QUEUE, 0, MOST - 1),
}
`;

/**
 * Takes a key from whoever holds it, and hands it to whoever is next.
 *
 * KEYS  lock, fence, queue, holders, tokens
 * ARGV  reliable
 * Reply 1 it was held, 0 it was free
 */
export const FORCE_RELEASE = /* lua */ `
${SHARED}
local held = currentLock() and 1 or 0
redis.call('DEL', LOCK, HOLDERS, TOKENS)
serve(ARGV[1] == '1', nil)
return held
`;
