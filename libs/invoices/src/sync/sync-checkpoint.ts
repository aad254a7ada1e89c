/** How far a run has come. Stored with each page, so that whoever goes on goes on from there. */
export interface RunProgress {
  /** RFC 3339. */
  startedAt: string;
  /** Index of the feed being read; past the last when the settled ones are being looked for. */
  feed: number;
  /** Where in the feed to go on, or after which invoice. */
  position?: string;
}

/** What is kept of a customer's sync with one source. */
export interface SyncCheckpoint {
  /** When the last complete run began, RFC 3339. */
  since?: string;
  /** The run under way, or one that was cut short. */
  run?: RunProgress;
}
