import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { Client, type ClientConfig } from 'pg';
import { isTracing, tracedStatement } from '@platform/tracing';
import { countRefusals } from '../database-errors';

/** The driver's error message if a reply did not arrive in time. */
const NO_REPLY = 'Query read timeout';
/** Statements that only frame others: they have no span. */
const FRAMES = new Set(['begin', 'commit', 'rollback', 'start']);
/** Time for the server to close its end of a connection. */
export const CLOSE_TIMEOUT_MS = 1_000;

/**
 * A connection that is dropped once a reply did not arrive in time, and closed without waiting for the server. The
 * server may have vanished without closing it; a pool would use the dead connection for one request after another, and
 * never finish closing.
 */
export class DeadlineClient extends Client {
  constructor(settings?: string | ClientConfig) {
    super(settings);
    // The user of a lost connection gets the error from the query, and the pool listens while it is idle; in between,
    // an error without a listener would end the process.
    this.on('error', () => undefined);
    countRefusals(this);
    const send = this.query.bind(this) as (...parts: unknown[]) => unknown;
    const watched = (...parts: unknown[]): unknown => {
      const name = isTracing() ? spanName(parts) : undefined;
      const reply = name === undefined ? send(...parts) : tracedStatement(name, () => send(...parts));
      if (reply instanceof Promise) {
        reply.catch((error: unknown) => {
          if (error instanceof Error && error.message === NO_REPLY) this.disconnect();
        });
      }
      return reply;
    };
    this.query = watched as typeof this.query;
    const end = this.end.bind(this) as (...parts: unknown[]) => unknown;
    const endSoon = (...parts: unknown[]): unknown => {
      const timer = setTimeout(() => this.disconnect(), CLOSE_TIMEOUT_MS).unref();
      this.once('end', () => clearTimeout(timer));
      return end(...parts);
    };
    this.end = endSoon as typeof this.end;
  }

  /** Bytes that the server has sent. */
  get bytesRead(): number {
    return (this.stream as Socket).bytesRead;
  }

  /** Sends all statements that `queue` queues in one message. */
  inOneGo<T>(queue: () => T): T {
    this.stream.cork();
    try {
      return queue();
    } finally {
      this.stream.uncork();
    }
  }

  /** Closes the connection at once, without waiting for the server. */
  disconnect(): void {
    this.stream.destroy();
  }

  private get stream(): Duplex {
    return (this as unknown as { connection: { stream: Duplex } }).connection.stream;
  }
}

/**
 * The name of a prepared statement, or the first word of another; undefined for statements that only frame others, and for
 * those that are answered by a callback.
 */
function spanName(parts: unknown[]): string | undefined {
  if (typeof parts.at(-1) === 'function') return undefined;
  const { name, text } =
    typeof parts[0] === 'string' ? { text: parts[0] } : (parts[0] as { name?: string; text?: string });
  const verb = /^\s*(\w+)/.exec(text ?? '')?.[1]?.toLowerCase();
  if (verb === undefined || FRAMES.has(verb)) return undefined;
  return name ?? verb;
}
