import type { LookupFunction, Socket } from 'node:net';
import { Agent, buildConnector } from 'undici';
import type { CallLog } from './call-log';
import { AbortedError, exchange, type Receiver } from './exchange';
import { ADDRESS_REFUSED, publicLookup, refusalOf, resolveInternetName, type ResolveName } from './public-addresses';
import { parseRetryAfter, type UpstreamFailureReason } from './upstream-reply';

/** Options of a sender. */
export interface WebhookSenderOptions {
  /** Name in logs and metrics. */
  name: string;
  /** Maximum duration of a request, from the look-up of the name to the reply. */
  timeoutMs: number;
  connectTimeoutMs: number;
  /** Finds the addresses of names; for tests. */
  resolve?: ResolveName;
  /** Name servers, instead of the system's; for tests. */
  nameServers?: readonly string[];
  /** Certificates of further authorities; for tests. */
  ca?: string;
}

/** A request to an address that somebody else chose. */
export interface WebhookRequest {
  /** For logs and metrics: a constant. */
  operation: string;
  url: string;
  headers: Record<string, string>;
  body: string;
  /** Whether http and addresses that are not public are allowed. */
  privateAllowed: boolean;
  signal?: AbortSignal;
}

/** Result of a request. Contains nothing of the reply but its status and the time that it asks to wait. */
export interface WebhookResult {
  /** Whether the reply's status is 2xx. */
  accepted: boolean;
  /** The reply's status, or the reason for its absence. */
  outcome: string;
  status?: number;
  /** How long the receiver asks to wait. */
  retryAfterMs?: number;
}

/** The part of a reply that is read. A longer reply ends the connection. */
const REPLY_BYTES = 1024;
/** Bytes of a reply's headers. */
const HEADER_BYTES = 8 * 1024;
/**
 * All bytes that a request brings. What is no part of a reply's head or body reaches nobody who could bound it, and a receiver could keep this
 * process busy with it: interim replies without end, extensions of chunks. More than the socket takes in before the first part is looked at.
 */
const RECEIVED_BYTES = 256 * 1024;
/** Code of the error of a connection that brought more. */
const RECEIVED_TOO_MUCH = 'RECEIVED_TOO_MUCH';
/** How long an idle connection is kept for the next request: shorter than most servers do, whose end could meet a request. */
const KEEP_ALIVE_MS = 4_000;

/**
 * Sends requests to addresses that customers choose, without a way into the operator's network: https to public addresses only, and the
 * connection is made to the address that was checked. No redirect is followed, and the reply is not kept. It never throws: a request has
 * a result.
 */
export class WebhookSender {
  private readonly publicAgent: Agent;
  private readonly privateAgent: Agent;

  constructor(
    private readonly options: WebhookSenderOptions,
    private readonly log: CallLog,
  ) {
    const { timeoutMs, connectTimeoutMs, ca, resolve, nameServers } = options;
    const agent = (connect: buildConnector.BuildOptions) =>
      new Agent({
        allowH2: false,
        pipelining: 1,
        keepAliveTimeout: KEEP_ALIVE_MS,
        keepAliveMaxTimeout: KEEP_ALIVE_MS,
        headersTimeout: timeoutMs,
        bodyTimeout: timeoutMs,
        maxHeaderSize: HEADER_BYTES,
        connect: boundedConnector({
          allowH2: false,
          timeout: connectTimeoutMs,
          ...(ca !== undefined && { ca }),
          ...connect,
        }),
      });
    this.publicAgent = agent({ lookup: publicLookup(resolve ?? ((name) => resolveInternetName(name, nameServers))) });
    // Only names that the operator, or a developer, allowed reach the system's look-up.
    this.privateAgent = agent(resolve ? { lookup: lookupWith(resolve) } : {});
    log.show(options.name);
  }

  /** Sends a POST and reads the beginning of the reply, within the time-out. */
  async send(request: WebhookRequest): Promise<WebhookResult> {
    const { operation, url, privateAllowed } = request;
    const started = performance.now();
    const reply = new Reply();
    let code: string | undefined;
    let outcome: string;
    let attempts = 1;
    if (refusalOf(url, { privateAllowed }) !== undefined) {
      outcome = 'address_refused';
      attempts = 0;
    } else {
      ({ outcome, code } = await this.exchange(request, reply));
    }
    const { status, bytes, retryAfterMs } = reply;
    const accepted = outcome === String(status) && status !== undefined && status >= 200 && status < 300;
    const durationMs = performance.now() - started;
    this.log.write({
      upstream: this.options.name,
      operation,
      outcome,
      counted: outcome === String(status) ? `${outcome.slice(0, 1)}xx` : outcome,
      code,
      attempts,
      bytes,
      durationMs,
      ok: accepted,
    });
    return {
      accepted,
      outcome,
      ...(status !== undefined && { status }),
      ...(retryAfterMs !== undefined && { retryAfterMs }),
    };
  }

  /** Ends all requests and connections. */
  async close(): Promise<void> {
    await Promise.all([this.publicAgent.destroy(), this.privateAgent.destroy()]);
  }

  private async exchange(
    { url, headers, body, privateAllowed, signal }: WebhookRequest,
    reply: Reply,
  ): Promise<{ outcome: string; code?: string }> {
    const { origin, pathname, search } = new URL(url);
    let reason: UpstreamFailureReason = 'timeout_total';
    const end = (why: UpstreamFailureReason) => {
      reason = why;
      reply.interrupted = true;
      reply.onInterrupt?.();
    };
    const timer = setTimeout(() => end('timeout_total'), this.options.timeoutMs);
    const stopped = () => end('shutdown');
    signal?.addEventListener('abort', stopped, { once: true });
    if (signal?.aborted) stopped();
    try {
      const agent = privateAllowed ? this.privateAgent : this.publicAgent;
      await exchange(agent, { origin, path: pathname + search, headers }, { method: 'POST', body }, reply);
      if (reply.status === undefined) return { outcome: 'disconnected' };
      return { outcome: reply.status >= 300 && reply.status < 400 ? 'redirect' : String(reply.status) };
    } catch (error) {
      if (error instanceof AbortedError) return { outcome: reason };
      if (error instanceof FailedError) return error;
      throw error;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', stopped);
    }
  }
}

/** A failure of the network or the protocol. */
class FailedError extends Error {
  readonly outcome: string;
  readonly code?: string;

  constructor(reason: UpstreamFailureReason, code: string | undefined) {
    super(reason);
    this.outcome = code === ADDRESS_REFUSED ? 'address_refused' : code === RECEIVED_TOO_MUCH ? 'too_large' : reason;
    if (code !== undefined) this.code = code;
  }
}

/** Receives a reply without keeping it. */
class Reply implements Receiver {
  sent = false;
  interrupted = false;
  onInterrupt?: (() => void) | undefined;
  status?: number;
  retryAfterMs?: number;
  bytes = 0;

  head(status: number, headers: Record<string, string>): void {
    this.status = status;
    const wait = parseRetryAfter(headers['retry-after'], undefined, Infinity);
    if (wait !== undefined) this.retryAfterMs = wait;
  }

  data(chunk: Buffer): boolean {
    this.bytes += chunk.length;
    return this.bytes <= REPLY_BYTES;
  }

  failure(reason: UpstreamFailureReason, code?: string): Error {
    return new FailedError(reason, code);
  }
}

/** A lookup for connections without a check. */
function lookupWith(resolve: ResolveName): LookupFunction {
  return (name, options, callback) => {
    resolve(name).then(
      (addresses) => {
        const [first] = addresses;
        if (options.all) callback(null, addresses);
        else callback(null, first?.address ?? '', first?.family ?? 0);
      },
      (error: unknown) => callback(error as NodeJS.ErrnoException, '', 0),
    );
  };
}

/** Connects, and ends a connection on which a request brings too many bytes. */
function boundedConnector(options: buildConnector.BuildOptions): buildConnector.connector {
  const connect = buildConnector(options);
  return (target, callback) => {
    connect(target, (...result) => {
      const [, socket] = result;
      // Before the listener of the client, which reads what is there.
      if (socket) boundReceived(socket);
      callback(...result);
    });
  };
}

function boundReceived(socket: Socket): void {
  let written = socket.bytesWritten;
  let before = 0;
  let received = 0;
  socket.on('readable', () => {
    // Whatever was written since is another request.
    if (socket.bytesWritten !== written) [written, before] = [socket.bytesWritten, received];
    received = socket.bytesRead;
    if (received - before <= RECEIVED_BYTES) return;
    socket.destroy(Object.assign(new Error('The receiver sends too much'), { code: RECEIVED_TOO_MUCH }));
  });
}
