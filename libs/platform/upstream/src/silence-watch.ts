import { connect } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';

/** Attempts to connect that fail one after the other before an upstream counts as gone. */
const ATTEMPTS = 2;
/** Looks in the time in which a call may be silent. */
const LOOKS = 4;
/**
 * What an attempt to connect shows. `unknown`: it failed before it left this machine, since the name could not be looked up, or for
 * want of a descriptor, port or memory; that says nothing about the connections of the calls.
 */
type Sign = 'there' | 'gone' | 'unknown';
/** Codes that come from somebody who is there, and codes that say that there is no way to the upstream. */
const OF_PEER = ['ECONNREFUSED', 'ECONNRESET'];
const NO_WAY = ['ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH', 'EHOSTDOWN', 'ENETDOWN'];

/** A call that may wait for something of its upstream. */
export interface ListeningCall {
  /** When it last heard of its upstream, in terms of `performance.now()`; undefined while it does not wait for that. */
  readonly listeningSince: number | undefined;
  end(why: 'gone_silent'): void;
}

interface SilenceOptions {
  /** Address of the upstream. */
  baseUrl: string;
  /** Time without a byte after which it is checked whether the upstream can be reached. */
  afterMs: number;
  /** Most that a new connection may take, and the pause between two attempts. */
  connectTimeoutMs: number;
}

/**
 * Ends calls whose network has gone silent. A connection over which nothing comes may belong to a provider that thinks for minutes, and
 * bills for it, or to a network that loses every packet: TCP tells the difference after a quarter of an hour (RFC 1122 §4.2.3.5; its keep-alive does
 * not probe while sent bytes are unacknowledged). A new connection to the same address tells it at once.
 */
export class SilenceWatch {
  private readonly timer: NodeJS.Timeout;
  private reachedAt = -Infinity;
  private looking = false;

  /** @param calls those in progress */
  constructor(
    private readonly options: SilenceOptions,
    private readonly calls: Iterable<ListeningCall>,
  ) {
    this.timer = setInterval(() => void this.look(), options.afterMs / LOOKS).unref();
  }

  stop(): void {
    clearInterval(this.timer);
  }

  private async look(): Promise<void> {
    if (this.looking || this.silent().length === 0) return;
    this.looking = true;
    const sign = await this.reach();
    if (sign === 'there') this.reachedAt = performance.now();
    // Those that have heard something meanwhile go on.
    if (sign === 'gone') for (const call of this.silent()) call.end('gone_silent');
    this.looking = false;
  }

  private silent(): ListeningCall[] {
    const before = performance.now() - this.options.afterMs;
    if (this.reachedAt > before) return [];
    return [...this.calls].filter(({ listeningSince = Infinity }) => listeningSince <= before);
  }

  private async reach(): Promise<Sign> {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      if (attempt > 1) await wait(this.options.connectTimeoutMs / 2, undefined, { ref: false });
      const sign = await this.connects();
      if (sign !== 'gone') return sign;
    }
    return 'gone';
  }

  private connects(): Promise<Sign> {
    const { hostname, port, protocol } = new URL(this.options.baseUrl);
    const host = hostname.replace(/^\[|\]$/g, '');
    return new Promise((resolve) => {
      const socket = connect({ host, port: Number(port || (protocol === 'https:' ? 443 : 80)) });
      let inTime: Sign = 'unknown';
      const end = (sign: Sign) => {
        clearTimeout(timer);
        socket.destroy();
        resolve(sign);
      };
      const timer = setTimeout(() => end(inTime), this.options.connectTimeoutMs);
      // Until then the name is looked up.
      socket.once('connectionAttempt', () => (inTime = 'gone'));
      socket.once('connect', () => end('there'));
      socket.once('error', (error) => end(signOf(error)));
    });
  }
}

/** The sign of a failure, or of the failures at several addresses. */
function signOf(error: Error): Sign {
  const failures = (error instanceof AggregateError ? error.errors : [error]) as NodeJS.ErrnoException[];
  const codes = failures.map(({ code = '' }) => code);
  if (codes.some((code) => OF_PEER.includes(code))) return 'there';
  return codes.every((code) => NO_WAY.includes(code)) ? 'gone' : 'unknown';
}
