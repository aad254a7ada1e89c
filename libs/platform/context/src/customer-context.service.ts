import type { Writable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { ClsService, ClsServiceManager, type ClsStore } from 'nestjs-cls';
import { type TraceIds, traceIds } from '@platform/tracing';

/** The customer of rows that concern the whole service or nobody known, such as the audit entry of a model's price. */
export const NO_CUSTOMER = '00000000-0000-0000-0000-000000000000';

/** The values of the asynchronous context. */
export interface WorkContext extends ClsStore {
  /** The customer on whose behalf the code runs: a UUID. */
  readonly customerId?: string;
  /** The id of the request. */
  readonly requestId?: string;
  /** Where the reply goes, if nobody else needs the work. */
  readonly reader?: Reader;
}

/** Who waits for the outcome of work: `destroyed` once it has disconnected, or has the outcome. */
export type Reader = Pick<Writable, 'destroyed' | 'once' | 'off'>;

/** The client for which alone the work was done has disconnected. */
export class ClientGoneError extends Error {
  constructor() {
    super('The client has disconnected');
  }
}

/**
 * The customer on whose behalf the current code runs. It is set once, from the bearer token or by a job, and read by
 * everything that accesses a customer's rows; nothing that a client sends can change it.
 */
@Injectable()
export class CustomerContextService {
  constructor(private readonly cls: ClsService<WorkContext>) {}

  /**
   * Runs `work`, and everything it awaits, as the customer with this id (a UUID). @param requestId the id of the
   * request, for its log lines @param reader of work without an effect, which ends when it has gone
   */
  run<T>(customerId: string, work: () => T, requestId?: string, reader?: Reader): T {
    return this.cls.runWith({ customerId, requestId, reader }, work);
  }

  /** Whether the work is for a client alone that has disconnected. */
  get isAbandoned(): boolean {
    return (this.cls.get() as WorkContext | undefined)?.reader?.destroyed === true;
  }

  /** Calls `end` if the client for which alone the work is done disconnects, or has done so. @returns a function that forgets it */
  onAbandoned(end: () => void): () => void {
    const reader = (this.cls.get() as WorkContext | undefined)?.reader;
    if (reader?.destroyed) end();
    else reader?.once('close', end);
    return () => void reader?.off('close', end);
  }

  /** The customer's id. @throws if none is set: customers' rows are never accessed without one */
  get customerId(): string {
    const context = this.cls.get() as WorkContext | undefined;
    if (context?.customerId === undefined) throw new Error('No customer in context');
    return context.customerId;
  }
}

/** The fields of the context that every log line has. */
export function logFields(): { request_id?: string; customer_id?: string } & Partial<TraceIds> {
  const { requestId, customerId } = (ClsServiceManager.getClsService().get() as WorkContext | undefined) ?? {};
  return { request_id: requestId, customer_id: customerId, ...traceIds() };
}
