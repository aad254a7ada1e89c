import { connect } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';

/** Attempts to connect that fail one after the other before an upstream counts as gone. */
const ATTEMPTS = 2;
/** Looks in the time in which a call may be silent. */
const LOOKS = 4;
/** Codes that come from somebody who is there. Others, such as that of a failed look-up of the name, say that there is no way to the upstream. */
const OF_PEER = ['ECONNREFUSED', 'ECONNRESET'];

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
    const isReached = await this.reach();
    // Those that have heard something meanwhile go on.
    if (isReached) this.reachedAt = performance.now();
    else for (const call of this.silent()) call.end('gone_silent');
    this.looking = false;
  }

  private silent(): ListeningCall[] {
    const before = performance.now() - this.options.afterMs;
    if (this.reachedAt > before) return [];
    return [...this.calls].filter(({ listeningSince = Infinity }) => listeningSince <= before);
  }

  private async reach(): Promise<boolean> {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      if (attempt > 1) await wait(this.options.connectTimeoutMs / 2, undefined, { ref: false });
      if (await this.connects()) return true;
    }
    return false;
  }

  private connects(): Promise<boolean> {
    const { hostname, port, protocol } = new URL(this.options.baseUrl);
    const host = hostname.replace(/^\[|\]$/g, '');
    return new Promise((resolve) => {
      const socket = connect({ host, port: Number(port || (protocol === 'https:' ? 443 : 80)) });
      const end = (isReached: boolean) => {
        clearTimeout(timer);
        socket.destroy();
        resolve(isReached);
      };
      const timer = setTimeout(() => end(false), this.options.connectTimeoutMs);
      socket.once('connect', () => end(true));
      socket.once('error', ({ code = '' }: NodeJS.ErrnoException) => end(OF_PEER.includes(code)));
    });
  }
}
