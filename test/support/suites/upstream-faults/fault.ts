import type { Socket } from 'node:net';
import type { RawServer } from '../../raw-server';

/** What a fault means for the caller, for any upstream. */
export type FaultMeaning =
  /** No fault: a normal reply. */
  | 'ok'
  /** Nothing left this machine, or nobody took it. */
  | 'unsent'
  /** It left; whether it was done nobody knows. */
  | 'lost'
  /** A reply of status 2xx that means nothing. */
  | 'unreadable'
  /** 204, which one upstream documents. */
  | 'no_content'
  /** 401, 402, 403. */
  | 'account_refused'
  /** 429. */
  | 'turned_away'
  /** 503 with a time to come back. */
  | 'closed_for_now'
  /** Any other 4xx. */
  | 'refused'
  /** 408, 409: some upstreams let the request be sent again. */
  | 'gave_up_for_now'
  /** Any other 4xx that does not say for certain that nothing was done, such as 499. */
  | 'gave_up'
  | 'failed';

/** A fault of an upstream or of the connection to it. */
export interface UpstreamFault {
  name: string;
  /** Several values if the outcome depends on microseconds. */
  meaning: FaultMeaning | FaultMeaning[];
  /** The logged outcome of the call: the status, or the reason why there is none. */
  outcome: RegExp;
  /** The fault lasts until the call's deadline. */
  hangs?: true;
  /** Replaces the server's address. */
  address?: (server: RawServer) => string | Promise<string>;
  /** The server uses TLS, with a self-signed certificate. */
  tls?: true;
  /** A fault before a request was read. */
  greet?: (socket: Socket) => void;
  /** A fault after a request was received. `good` is the correct reply. */
  answer?: (socket: Socket, good: string) => void;
}

/** Part of every faulty reply: must not appear anywhere. */
export const REPLY_MARK = 'MARK-OF-THE-REPLY';

/** Writes something every few milliseconds until the connection ends. */
export function drip(socket: Socket, text: string, first = ''): void {
  socket.write(first);
  const timer = setInterval(() => socket.write(text), 10);
  socket.on('close', () => clearInterval(timer));
}

/** The body of a reply. */
export function bodyOf(reply: string): string {
  return reply.slice(reply.indexOf('\r\n\r\n') + 4);
}
