/** Progress of a run. Stored with each page, so that another run can continue there. */
export interface RunProgress {
  /** When the run began by the database's clock, RFC 3339. */
  startedAt: string;
  /** Index of the current feed; past the last one while settled documents are looked for. */
  feed: number;
  /** Position in the feed, or the last invoice that was checked. */
  position?: string;
  /** Pages of the current feed that were read. */
  pages?: number;
  /** An item had no id and cannot be requested again: the next run must begin where this one did. */
  unread?: true;
}

/** Checkpoint of a customer's sync with one source. */
export interface SyncCheckpoint {
  /** When the last complete run began, RFC 3339. All documents from before were read. */
  since?: string;
  /** The run in progress, or one that was interrupted. */
  run?: RunProgress;
}
