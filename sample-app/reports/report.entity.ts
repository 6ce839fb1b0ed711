/** One line of the shop's journal. */
export interface Report {
  /** The time of the cron expression for which it was written, as ISO text. */
  readonly tick: string;
  /** The instance that wrote it. */
  readonly instance: string;
  readonly token: number;
}
