/** The key that is handed over between the two processes. */
export const KEY = 'bench:hand-off';
/** On which the raw message is published. */
export const CHANNEL = 'bench:message';
/** What the waiting process says: its steps by name, and the moment at which it heard, or held. */
export type HandOffAnswer = 'ready' | 'asked' | 'released' | number;
