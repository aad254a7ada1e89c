import type { Duplex } from 'node:stream';
import { Client, type ClientConfig } from 'pg';

/** What the driver says when a reply did not come in time. */
const NO_REPLY = 'Query read timeout';
/** How long the server has for its end of a connection that is closed. It has nothing more to say. */
export const GOODBYE_MS = 1_000;

/**
 * A connection that is not used again once a reply did not come in time, and closed without waiting for the server's
 * consent. The server may have vanished without a word; a pool would hand the dead connection to one request after
 * another, and not come to its end.
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
    const end = this.end.bind(this) as (...parts: unknown[]) => unknown;
    const endSoon = (...parts: unknown[]): unknown => {
      const timer = setTimeout(() => this.abandon(), GOODBYE_MS).unref();
      this.once('end', () => clearTimeout(timer));
      return end(...parts);
    };
    this.end = endSoon as typeof this.end;
  }

  /** Closes the connection at once, without waiting for a server that may not be there. */
  abandon(): void {
    (this as unknown as { connection: { stream: Duplex } }).connection.stream.destroy();
  }
}
