/** The time that a connection took for statements of customers. It includes the delay of this process's event loop. */
export interface StatementTime {
  /** One that has several statements in it is named for each. */
  customers: readonly string[];
  /** The bytes of the rows that each of them got. */
  bytes: readonly number[];
  ms: number;
  /** The number of connections that work at the same time. */
  connections: number;
}

/** Milliseconds of the database from which on a read may be slow. */
const SLOW_MS = 30;
/** While the database has much to do, every read takes long: a slow one takes so many times as long as is usual then. */
const CLEARLY_LONGER = 4;
/** The factor by which the usual time follows each answer. */
const FOLLOWS = 1.05;

/** Where all connections of a process tell how long they work for customers. */
export class StatementTimes {
  /** Half of the batches of reads take less, in milliseconds. */
  private usualMs = 1;

  /**
   * To be set by a process that shares its time among customers, and measures the delay of its event loop. @returns the milliseconds
   * of the database itself
   */
  report: (time: StatementTime) => number = ({ ms }) => ms;

  /** Notes how long a batch of reads took. @returns whether that is long */
  noteBatch(ms: number): boolean {
    const isLong = this.isLong(ms);
    this.usualMs = Math.max(1, ms > this.usualMs ? this.usualMs * FOLLOWS : this.usualMs / FOLLOWS);
    return isLong;
  }

  /** Whether a read that takes so many milliseconds is slow, and not the database. */
  isLong(ms: number): boolean {
    return ms >= Math.max(SLOW_MS, CLEARLY_LONGER * this.usualMs);
  }
}
