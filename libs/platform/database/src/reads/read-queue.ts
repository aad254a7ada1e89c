import type { Client, Connection } from 'pg';
import { ScopedBatch } from './scoped-batch';
import type { ScopedRead } from './scoped-read';

/** Reads in one batch at most: what waits behind a slow one should be few. */
const BATCH = 32;

/** Collects the reads of one turn of the event loop and sends them together. */
export class ReadQueue {
  private waiting: ScopedRead[] = [];

  /** `connect` gives the connection, and opens it if need be; `lost` is told when it has died. */
  constructor(
    private readonly connect: () => Promise<Client> | Client,
    private readonly lost: (client: Client) => void,
  ) {}

  /** Adds a read; it leaves when the turn ends. */
  add(...reads: ScopedRead[]): void {
    if (this.waiting.length === 0) setImmediate(() => void this.flush());
    this.waiting.push(...reads);
  }

  private async flush(): Promise<void> {
    const reads = this.waiting;
    this.waiting = [];
    try {
      const given = this.connect();
      const client = given instanceof Promise ? await given : given;
      for (let start = 0; start < reads.length; start += BATCH) {
        const repeat = (skipped: ScopedRead[]) => {
          this.add(...skipped);
        };
        client.query(new ScopedBatch(reads.slice(start, start + BATCH), repeat, () => this.lost(client)));
      }
    } catch (error) {
      for (const read of reads) read.reject(error as Error);
    }
  }
}

/** Tells batches which of their statements the server has prepared; the driver keeps that to itself. */
export function reportPreparedStatements(client: Client): void {
  const { connection } = client as unknown as { connection: Connection };
  connection.on('parseComplete', () => {
    const { _activeQuery: active } = client as unknown as { _activeQuery: unknown };
    if (active instanceof ScopedBatch) active.handleParseComplete();
  });
}
