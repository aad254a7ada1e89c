import type { Socket } from 'node:net';
import type { RawServer } from '../../raw-server';

/** What a fault means for the one who called, whichever upstream it is. */
export type FaultMeaning =
  /** None: a reply like any other. */
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
  /** A 4xx that does not say for certain that nothing was done, such as 408, 409 and 499. */
  | 'gave_up'
  | 'failed';

/** Something that an upstream, or the way to it, does wrong. */
export interface UpstreamFault {
  name: string;
  /** Several where it is a matter of microseconds. */
  meaning: FaultMeaning | FaultMeaning[];
  /** What the log says of the call: the status, or the reason why there is none. */
  outcome: RegExp;
  /** Ends only with the call's deadline. */
  hangs?: true;
  /** Stands in for the server's address. */
  address?: (server: RawServer) => string | Promise<string>;
  /** The server speaks TLS, with a certificate that nobody vouches for. */
  tls?: true;
  /** Goes wrong before a request was read. */
  greet?: (socket: Socket) => void;
  /** Goes wrong when a request has come. `good` is the reply that would be right. */
  answer?: (socket: Socket, good: string) => void;
}

/** Stands in every faulty reply: must show up nowhere. */
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
