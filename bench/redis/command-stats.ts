import type { Redis } from 'ioredis';

/** How many scripts a server has run since its counters were reset. */
export async function scriptsRun(client: Redis): Promise<number> {
  const info = await client.info('commandstats');
  const calls = [...info.matchAll(/^cmdstat_eval(?:sha)?:calls=(\d+)/gm)].map(([, count]) => Number(count));
  return calls.reduce((sum, count) => sum + count, 0);
}

/** Counts what is sent through a client; the server's own counters hold what scripts call, too. */
export function countSent(client: Redis): () => number {
  let sent = 0;
  const { sendCommand } = client;
  client.sendCommand = (...args) => {
    sent += 1;
    return sendCommand.apply(client, args);
  };
  return () => sent;
}
