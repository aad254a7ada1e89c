/** How far a run has come. Stored with each page, so that whoever goes on goes on from there. */
export interface RunProgress {
  /** When it began by the database's clock, RFC 3339. */
  startedAt: string;
  /** Index of the feed being read; past the last when the settled ones are being looked for. */
  feed: number;
  /** Where in the feed to go on, or after which invoice. */
  position?: string;
  /** Pages read of the present feed. */
  pages?: number;
  /** Something had no id, and cannot be asked for again: the next run must begin where this one did. */
  unread?: true;
}

/** What is kept of a customer's sync with one source. */
export interface SyncCheckpoint {
  /** When the last complete run began, RFC 3339. Nothing of what the source had before was left out. */
  since?: string;
  /** The run under way, or one that was cut short. */
  run?: RunProgress;
}
