/** Someone who locks keys in the same servers as the others. */
export interface Contender {
  readonly name: string;
  /** Takes a free key and releases it. */
  turn(key: string): Promise<unknown>;
}

/** One who can wait for a key. */
export interface WaitingContender extends Contender {
  /** Waits for the key; the result releases it. */
  take(key: string): Promise<() => Promise<unknown>>;
}

/** The lease that all ask for, in milliseconds. */
export const TTL = 30_000;

export function waiting(name: string, take: WaitingContender['take']): WaitingContender {
  return {
    name,
    take,
    turn: async (key) => {
      const release = await take(key);
      await release();
    },
  };
}
