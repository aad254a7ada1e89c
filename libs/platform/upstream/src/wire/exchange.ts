import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import { failureReason } from './failure-reason';

/** Pauses and resumes a reply. */
export interface Flow {
  pause(): void;
  resume(): void;
}

/** Receives the events of an attempt. An error that `head` or `data` throws ends the attempt. */
export interface Receiver {
  /** The request is being written; from now on the upstream may have received it. */
  sent(): void;
  head(status: number, headers: Record<string, string>, flow: Flow): void;
  /** @returns whether to read more; if not, the reply counts as complete */
  data(chunk: Buffer, flow: Flow): boolean;
}

/** The call was ended from outside. */
export class AbortedError extends Error {}

/**
 * What ends a call from outside. An AbortSignal would do, but the several that a call needs, with their listeners, cost as
 * much as sending its request.
 */
export interface Interrupt {
  readonly interrupted: boolean;
  /** Called when it is interrupted. The present attempt sets it. */
  onInterrupt?: () => void;
}

/** Creates the error of an attempt from its failure. */
export type ToError = (fault: ReturnType<typeof failureReason>) => Error;

/**
 * Sends one request on a connection and passes on the reply as it arrives. Resolves when the reply is complete. undici
 * announces a request when it writes it, and one that was aborted before is never written: so it is known whether
 * anything was sent.
 */
export function exchange(
  dispatcher: Dispatcher,
  request: Dispatcher.DispatchOptions & { origin: string },
  receiver: Receiver,
  { interrupt, toError }: { interrupt: Interrupt; toError: ToError },
): Promise<void> {
  return new Promise((resolve, reject) => {
    const progress = { sent: false, begun: false, secure: request.origin.startsWith('https:') };
    let controller: Dispatcher.DispatchController | undefined;
    let ended = false;
    const finish = (settle: () => void) => {
      if (ended) return;
      ended = true;
      interrupt.onInterrupt = undefined;
      settle();
    };
    /** Ends the attempt at once, without waiting for the connection. */
    const end = (error: Error, settle = () => reject(error)) => {
      if (ended) return;
      finish(settle);
      controller?.abort(error);
    };
    const abort = () => end(new AbortedError());
    const receive = (work: () => boolean) => {
      try {
        if (!ended && !work()) end(new AbortedError(), resolve);
      } catch (error) {
        end(error as Error);
      }
    };
    const handler: Dispatcher.DispatchHandler = {
      onRequestStart(started) {
        controller = started;
        if (ended) return started.abort(new AbortedError());
        progress.sent = true;
        receiver.sent();
      },
      onResponseStart(flow, status, headers) {
        // 1xx: the final reply is still to come.
        if (status < 200) return;
        progress.begun = true;
        receive(() => {
          receiver.head(status, flatten(headers), flow);
          return true;
        });
      },
      onResponseData: (flow, chunk) => receive(() => receiver.data(chunk, flow)),
      onResponseEnd: () => finish(resolve),
      onResponseError: (_flow, error) => end(toError(failureReason(error, progress))),
    };
    if (interrupt.interrupted) return abort();
    interrupt.onInterrupt = abort;
    try {
      dispatcher.dispatch(request, handler);
    } catch (error) {
      end(toError(failureReason(error, progress)));
    }
  });
}

function flatten(headers: IncomingHttpHeaders): Record<string, string> {
  const flat: Record<string, string> = {};
  for (const [name, value = ''] of Object.entries(headers))
    flat[name] = typeof value === 'string' ? value : value.join(', ');
  return flat;
}
