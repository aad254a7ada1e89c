import { Injectable, Logger, StreamableFile } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Readable } from 'node:stream';
import { type AiAnswer, AiMessagesService, type AnswerKey, type MessageRequest } from '@domains/ai';
import { AppConfig } from '@platform/config';
import { endSlowReply, problemOf, type RequestWithBody } from '@platform/http';
import { KeyedCallsService } from '@platform/idempotency';
import { shortDecimal } from '@platform/money';
import type { AuthenticatedCustomer } from '@platform/tokens';
import { errorEvent } from './provider-error';

/** A request for a message, and its reply. */
export interface MessageExchange {
  customer: AuthenticatedCustomer;
  request: RequestWithBody<MessageRequest>;
  reply: FastifyReply;
}

/** Answers requests for messages, as JSON or as a stream of events. */
@Injectable()
export class MessageAnswersService {
  private readonly logger = new Logger(MessageAnswersService.name);
  constructor(
    private readonly messages: AiMessagesService,
    private readonly config: AppConfig,
    private readonly keyedCalls: KeyedCallsService,
  ) {}

  /** Sends the message. @returns the reply's body, whose headers are set */
  async send({ customer, request, reply }: MessageExchange, stream: boolean): Promise<Buffer | StreamableFile> {
    const { tokenId } = customer;
    const answer = await this.messages.send({ tokenId, requestId: request.id }, request.body, {
      stream,
      errorEvent: (error) => this.errorEvent(error, request.id),
      key: this.answerKey(stream),
    });
    setHeaders(reply, answer);
    if (!(answer.body instanceof Readable)) return answer.body;
    this.releaseAtEnd(request, reply, answer);
    // As a file Nest sends it as it is; a stream it would read itself, and put into another one.
    return new StreamableFile(answer.body);
  }

  /** A stream needs the body's memory until its call has ended, and must not wait for its reader forever. */
  private releaseAtEnd(request: RequestWithBody, reply: FastifyReply, { body, ended }: AiAnswer): void {
    const { bodyLease } = request;
    request.bodyLease = undefined;
    void ended.then(() => bodyLease?.release());
    // A client that is gone already takes nothing.
    if (reply.raw.destroyed) (body as Readable).destroy();
    else endSlowReply(reply.raw, ended, this.config.AI_STREAM_PATIENCE_MS);
  }

  /** Keeps the answer for the request's Idempotency-Key, if it has one. */
  private answerKey(stream: boolean): AnswerKey | undefined {
    const call = this.keyedCalls.current;
    return (
      call && {
        claim: call.claim,
        claimed: () => call.claimed(),
        assertFree: () => call.assertFree(),
        seal: (body, usageId) => call.seal(body, { ...headersOf(stream), 'x-ai-usage-id': usageId }),
      }
    );
  }

  private errorEvent(error: unknown, requestId: string): Buffer {
    const problem = problemOf(error, requestId);
    this.logger.error({ msg: 'stream broke off', err: error, request_id: requestId, code: problem.body.code });
    return errorEvent(problem);
  }
}

function setHeaders(reply: FastifyReply, { usageId, charge, body }: AiAnswer): void {
  void reply.headers({ ...headersOf(body instanceof Readable), 'x-ai-usage-id': usageId });
  if (!charge) return;
  void reply.header('x-ai-cost', shortDecimal(charge.charged));
  void reply.header('x-ai-credit-remaining', shortDecimal(charge.remaining));
}

/** Headers that belong to an answer's body. */
function headersOf(stream: boolean): Record<string, string> {
  if (!stream) return { 'content-type': 'application/json; charset=utf-8' };
  // Proxies such as nginx pass each event on at once.
  return { 'content-type': 'text/event-stream; charset=utf-8', 'x-accel-buffering': 'no' };
}
