/** Where Redis is, if instances are to share locks, data and cache: `redis://127.0.0.1:6379`. */
export const redisUrl = process.env.REDIS_URL || undefined;

export const port = Number(process.env.PORT || 3000);

/** Which of several instances this one is. */
export const instance = `port ${port}`;

/** Where everything is kept, for people. */
export const keptIn = redisUrl ? `Redis at ${withoutPassword(redisUrl)}` : 'the memory of this process';

function withoutPassword(url: string): string {
  return url.replace(/:[^:@/]*@/, ':…@');
}
