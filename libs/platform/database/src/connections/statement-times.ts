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

/** Where all connections of a process tell how long they work for customers. */
export class StatementTimes {
  /**
   * To be set by a process that shares its time among customers, and measures the delay of its event loop. @returns the milliseconds
   * of the database itself
   */
  report: (time: StatementTime) => number = ({ ms }) => ms;
}
