import type { Duplex } from 'node:stream';
import { Client, type ClientConfig } from 'pg';

/** What the driver says when a reply did not come in time. */
const NO_REPLY = 'Query read timeout';

/**
 * A connection that is not used again once a reply did not come in time. The server may have vanished without a word; a
 * pool would hand the dead connection to one request after another.
 */
export class DeadlineClient extends Client {
  constructor(settings?: string | ClientConfig) {
    super(settings);
    // Whoever uses a connection that is lost learns of it from the query, and the pool listens while nobody does; between
    // the two, an error that nobody listens to would end the process.
    this.on('error', () => undefined);
    const send = this.query.bind(this) as (...parts: unknown[]) => unknown;
    const watched = (...parts: unknown[]): unknown => {
      const reply = send(...parts);
      if (reply instanceof Promise) {
        reply.catch((error: unknown) => {
          if (error instanceof Error && error.message === NO_REPLY) this.abandon();
        });
      }
      return reply;
    };
    this.query = watched as typeof this.query;
  }

  /** Closes the connection at once, without waiting for a server that may not be there. */
  abandon(): void {
    (this as unknown as { connection: { stream: Duplex } }).connection.stream.destroy();
  }
}
