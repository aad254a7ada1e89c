import type { FastifyReply } from 'fastify';
import type { ServiceError } from '@platform/errors';
import type { KeptReply, ReplyPresenter } from '@platform/idempotency';
import { problemOf } from '../problems/problem';
import { inDialect } from '../problems/problem-dialects';

const JSON_TYPE = 'application/json; charset=utf-8';
/** As Fastify completes the one that problems are sent with. */
const PROBLEM_TYPE = 'application/problem+json; charset=utf-8';
/** Headers that are kept with a body. All others tell of the request at hand, such as its id. */
const KEPT = ['content-type', 'location', 'x-accel-buffering', 'x-ai-usage-id'];

/** The replies to a request, with the headers that its route has set by then. */
export class RequestPresenter implements ReplyPresenter {
  /** The route's own, which Nest sets before anything of it runs. */
  private readonly status: number;

  constructor(private readonly reply: FastifyReply) {
    this.status = reply.statusCode;
  }

  /** A reply of which no handler says another status; the present one is 500 if its reader left before it began. */
  ofBody(body: Buffer, more: Record<string, string> = {}): KeptReply {
    const set = KEPT.map((name) => [name, this.reply.getHeader(name)] as const);
    const headers = set.flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)] as const]));
    return { status: this.status, headers: { ...Object.fromEntries(headers), ...more }, body };
  }

  /** The reply with what a handler returned, and the status that it has set. */
  ofResult(result: unknown): KeptReply {
    const status = this.reply.statusCode;
    if (Buffer.isBuffer(result)) return { ...this.ofBody(result), status };
    const body = result === undefined ? '' : JSON.stringify(result);
    const kept = this.ofBody(Buffer.from(body));
    return { status, headers: { 'content-type': JSON_TYPE, ...kept.headers }, body: kept.body };
  }

  ofError(error: ServiceError): KeptReply {
    const { status, headers, body } = inDialect(this.reply.request, problemOf(error, this.reply.request.id));
    const type = { 'content-type': PROBLEM_TYPE };
    return { status, headers: { ...headers, ...type }, body: Buffer.from(JSON.stringify(body)) };
  }

  /** Sets the status and the headers. @returns the body, to be sent */
  send({ status, headers, body }: KeptReply, more: Record<string, string> = {}): Buffer {
    void this.reply.status(status).headers({ ...headers, ...more });
    return body;
  }
}
