import { buffer } from 'node:stream/consumers';
import { StreamableFile } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { ServiceError } from '@platform/errors';
import type { KeptReply, OpenedReply, ReplyPresenter } from '@platform/idempotency';
import { inDialect, problemOf } from './problem';
import { holdWhileSent } from './unread-replies';

const JSON_TYPE = 'application/json; charset=utf-8';
/** Headers that are kept with a body, besides those that its route declares. All others are of one request, such as its id. */
const KEPT = ['content-type', 'location', 'x-accel-buffering', 'x-ignored'];

/** The replies to a request, with the headers that its route has set by then. */
export class RequestPresenter implements ReplyPresenter {
  /** The route's own, which Nest sets before anything of it runs. */
  private readonly status: number;

  constructor(
    private readonly reply: FastifyReply,
    private readonly keptHeaders: readonly string[] = [],
  ) {
    this.status = reply.statusCode;
  }

  /** A reply of which no handler says another status; the present one is 500 if its reader left before it began. */
  ofBody(body: Buffer, more: Record<string, string> = {}): KeptReply {
    const headers: Record<string, string> = {};
    for (const name of [...KEPT, ...this.keptHeaders]) {
      const value = this.reply.getHeader(name);
      if (value !== undefined) headers[name] = String(value);
    }
    return { status: this.status, headers: { ...headers, ...more }, body };
  }

  /** A handler's result, which is kept as a whole even if it is a stream. */
  async wholeOf(result: unknown): Promise<unknown> {
    if (!(result instanceof StreamableFile)) return result;
    void this.reply.header('content-type', result.getHeaders().type);
    return buffer(result.getStream());
  }

  /** The reply with a handler's result, and the status that it has set. */
  ofResult(result: unknown): KeptReply {
    const status = this.reply.statusCode;
    if (Buffer.isBuffer(result)) return { ...this.ofBody(result), status };
    const body = result === undefined ? '' : JSON.stringify(result);
    const kept = this.ofBody(Buffer.from(body));
    return { status, headers: { 'content-type': JSON_TYPE, ...kept.headers }, body: kept.body };
  }

  ofError(error: ServiceError): KeptReply {
    const { request } = this.reply;
    const { status, headers, body, contentType } = inDialect(request, problemOf(error, request.id));
    // As Fastify completes the one that problems are sent with.
    const type = { 'content-type': `${contentType}; charset=utf-8` };
    return { status, headers: { ...headers, ...type }, body: Buffer.from(JSON.stringify(body)) };
  }

  /** The body of a reply that is sent again, for the handler's result. Sets its head. */
  sendKept({ body, ...head }: OpenedReply, more?: Record<string, string>): Buffer | StreamableFile {
    this.setHead(head, { ...more, 'idempotency-replayed': 'true' });
    if (Buffer.isBuffer(body)) return body;
    holdWhileSent(body.content, body.heldBytes);
    return new StreamableFile(body.content);
  }

  /** Sets the status and the headers of a reply whose body is to be sent. */
  setHead({ status, headers }: Omit<KeptReply, 'body'>, more: Record<string, string> = {}): void {
    void this.reply.status(status).headers({ ...headers, ...more });
  }
}
