import { Injectable, Logger, StreamableFile } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { AiMessagesService, AiReceiptsService, type MessageRequest, type StreamedAnswer } from '@domains/ai';
import { AppConfig } from '@platform/config';
import { ServiceError } from '@platform/errors';
import { problemOf, type ReplayHeaders, type RequestWithBody, waitForReader } from '@platform/http';
import type { KeptReply } from '@platform/idempotency';
import { shortDecimal } from '@platform/money';
import type { AuthenticatedCustomer } from '@platform/tokens';
import { errorEvent } from './sdk-dialect';

/** A request for a message, and its reply. */
export interface MessageExchange {
  customer: AuthenticatedCustomer;
  request: RequestWithBody<MessageRequest>;
  reply: FastifyReply;
}

/** Answers requests for messages, as JSON or as a stream of events; completes the headers of answers that are replayed. */
@Injectable()
export class MessageAnswersService implements ReplayHeaders {
  private readonly logger = new Logger(MessageAnswersService.name);

  constructor(
    private readonly messages: AiMessagesService,
    private readonly receipts: AiReceiptsService,
    private readonly config: AppConfig,
  ) {}

  /** Sends the message. @returns the reply's body, whose headers are set */
  async send({ customer, request, reply }: MessageExchange, stream: boolean): Promise<Buffer | StreamableFile> {
    const { id: requestId } = request;
    const headers = stream ? streamHeaders : jsonHeaders;
    const answer = await this.messages.send({ tokenId: customer.tokenId, requestId }, request.body, {
      stream,
      headers,
      errorEvent: (error) => this.errorEvent(error, requestId),
    });
    void reply.headers(headers(answer.usageId));
    if ('events' in answer) return this.streamed(answer, request, reply);
    void reply.header('x-ai-cost', shortDecimal(answer.charge.charged));
    void reply.header('x-ai-credit-remaining', shortDecimal(answer.charge.remaining));
    return answer.body;
  }

  /**
   * The charge of a message that is replayed: its reply was sealed before that was known. The credit that was left after it is
   * not repeated, as it would be read as the present credit.
   */
  async headersOf({ headers }: KeptReply): Promise<Record<string, string>> {
    const usageId = headers['x-ai-usage-id'];
    const charged = usageId && (await this.receipts.chargeOf(usageId));
    return charged ? { 'x-ai-cost': shortDecimal(charged) } : {};
  }

  /** A stream needs the body's memory until its call has ended, and must not wait for its reader forever. */
  private streamed({ events, ended }: StreamedAnswer, request: RequestWithBody, reply: FastifyReply): StreamableFile {
    const { bodyLease } = request;
    request.bodyLease = undefined;
    void ended.then(() => bodyLease?.release());
    // A client that is gone already takes nothing.
    if (reply.raw.destroyed) events.destroy();
    else waitForReader(reply, ended, this.config.AI_STREAM_PATIENCE_MS);
    // As a file Nest sends it as it is; a stream it would read itself, and put into another one.
    return new StreamableFile(events);
  }

  private errorEvent(error: unknown, requestId: string): Buffer {
    const problem = problemOf(error, requestId);
    const { code } = problem.body;
    // A failure that has a text of its own is no fault of the code: where it was made explains nothing.
    if (error instanceof ServiceError)
      this.logger.warn({ msg: 'stream broke off', reason: error.message, request_id: requestId, code });
    else this.logger.error({ msg: 'stream broke off', err: error, request_id: requestId, code });
    return errorEvent(problem);
  }
}

function jsonHeaders(usageId: string): Record<string, string> {
  return { 'content-type': 'application/json; charset=utf-8', 'x-ai-usage-id': usageId };
}

function streamHeaders(usageId: string): Record<string, string> {
  return {
    'content-type': 'text/event-stream; charset=utf-8',
    // Proxies such as nginx pass each event on at once.
    'x-accel-buffering': 'no',
    'x-ai-usage-id': usageId,
  };
}
