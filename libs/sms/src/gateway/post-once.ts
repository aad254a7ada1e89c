import type { Dispatcher } from 'undici';

/** A reply of an upstream, read to its end. */
export interface Reply {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** A request without a reply. `left` tells whether any of it may have reached the upstream. */
export class NoReplyError extends Error {
  constructor(
    readonly left: boolean,
    readonly timedOut: boolean,
    cause: unknown,
  ) {
    super(timedOut ? 'The upstream did not answer in time' : 'The upstream did not answer', { cause });
  }
}

/** What is posted. */
export interface Post {
  path: string;
  headers: Record<string, string>;
  body: string;
  /** Milliseconds until the reply must be complete. */
  timeoutMs: number;
}

/** Longest reply that is read; a longer one is none of a gateway's. */
const REPLY_LIMIT = 256 * 1024;

/**
 * Posts once, and knows whether anything went out: undici announces a request at the moment it writes it to a
 * connection, and one that is aborted before is never written.
 * @throws NoReplyError
 */
export function postOnce(dispatcher: Dispatcher, { timeoutMs, ...post }: Post): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let [left, timedOut, size] = [false, false, 0];
    let [status, headers]: [number, Record<string, string>] = [0, {}];
    let controller: Dispatcher.DispatchController | undefined;
    const timer = setTimeout(() => {
      timedOut = true;
      controller?.abort(new Error('timeout'));
      reject(new NoReplyError(left, true, undefined));
    }, timeoutMs);
    const fail = (error: unknown) => {
      clearTimeout(timer);
      reject(new NoReplyError(left, timedOut, error));
    };
    const handler: Dispatcher.DispatchHandler = {
      onRequestStart(started) {
        controller = started;
        if (timedOut) started.abort(new Error('timeout'));
        else left = true;
      },
      onResponseStart(_controller, code, received) {
        [status, headers] = [code, flatten(received)];
      },
      onResponseData(started, chunk) {
        size += chunk.length;
        if (size > REPLY_LIMIT) started.abort(new Error('The reply is too long'));
        else chunks.push(chunk);
      },
      onResponseEnd() {
        clearTimeout(timer);
        resolve({ status, headers, body: Buffer.concat(chunks).toString() });
      },
      onResponseError: (_controller, error) => fail(error),
    };
    try {
      dispatcher.dispatch({ ...post, method: 'POST' }, handler);
    } catch (error) {
      fail(error);
    }
  });
}

function flatten(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value].flat().join(', ')]));
}
