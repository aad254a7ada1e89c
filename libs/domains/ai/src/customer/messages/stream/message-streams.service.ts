import { Injectable } from '@nestjs/common';
import { AppConfig } from '@platform/config';
import type { MessageRequest } from '../../message-request/message-request';
import { AiUpstream, type UpstreamMessageStream } from '../../../ports/ai-upstream.port';
import type { AiAnswer, AnswerForm } from '../ai-answer';
import { CallReservationService, type CustomerCall, type ReservedCall } from '../call-reservation.service';
import { CallResolutionService } from '../call-resolution.service';
import { CallsInFlightService } from '../calls-in-flight.service';
import { FailedCallsService } from '../failed-calls.service';
import { UpstreamCallsService } from '../upstream-calls.service';
import { KeptEvents } from './kept-events';
import { ReplyStream } from './reply-stream';

/** A stream whose credit is reserved, and whose events are coming. */
interface BegunStream {
  reserved: ReservedCall;
  events: UpstreamMessageStream;
}

/**
 * Messages that are passed on while the provider creates them. Whether its reader stays or not, a stream is read to its end
 * and charged; it is charged before its reader gets the last event. One that breaks off is not charged.
 */
@Injectable()
export class MessageStreamsService {
  constructor(
    private readonly reservations: CallReservationService,
    private readonly resolution: CallResolutionService,
    private readonly failed: FailedCallsService,
    private readonly upstream: AiUpstream,
    private readonly upstreamCalls: UpstreamCallsService,
    private readonly calls: CallsInFlightService,
    private readonly config: AppConfig,
  ) {}

  /** Opens a stream. Resolves when its first event is there. @throws ServiceError as AiMessagesService.send */
  open(call: CustomerCall, request: MessageRequest, { errorEvent, key }: AnswerForm): Promise<AiAnswer> {
    const opened = Promise.withResolvers<AiAnswer>();
    const reply = new ReplyStream(this.config.AI_STREAM_PATIENCE_MS);
    const shutdown = this.calls.shutdownSignal();
    const ended = this.calls.track(
      this.begin(call, request, shutdown.signal)
        .then(({ reserved, events }) => {
          reply.once('begun', () => opened.resolve({ usageId: reserved.reservationId, body: reply, ended }));
          return this.relay(reserved, events, reply, key && new KeptEvents(key));
        })
        .catch((error: unknown) => {
          if (reply.begun) reply.end(errorEvent(error));
          else opened.reject(error);
        })
        .finally(() => shutdown.release()),
    );
    reply.once('gone', () => this.calls.drains(ended));
    return opened.promise;
  }

  /** Reserves the credit and calls the provider. The request may be large, so nothing keeps it longer than this. */
  private async begin(call: CustomerCall, request: MessageRequest, signal: AbortSignal): Promise<BegunStream> {
    const reserved = await this.reservations.reserve(call, request, this.config.AI_STREAM_OUTPUT_TOKENS_LIMIT);
    try {
      const upstreamCall = this.upstreamCalls.of(call.customerId, request, reserved);
      const events = await this.upstream.streamMessage({ ...upstreamCall, maxTokens: reserved.maxTokens }, signal);
      return { reserved, events };
    } catch (error) {
      throw await this.failed.end(reserved, error);
    }
  }

  /** Passes the events on, and charges the call before the last one. @throws ServiceError: it is not charged */
  private async relay(
    reserved: ReservedCall,
    events: UpstreamMessageStream,
    reply: ReplyStream,
    kept?: KeptEvents,
  ): Promise<void> {
    reply.follow(events);
    const { usage, lastEvent } = await events
      .read((bytes) => {
        kept?.add(bytes);
        reply.pass(bytes);
      })
      .catch(async (error: unknown) => {
        throw await this.failed.end(reserved, error);
      });
    const { customerId, reservationId } = reserved;
    const sealed = await kept?.seal(lastEvent, reservationId);
    const { requestId: upstreamId } = events;
    await this.resolution.settle({ customerId, reservationId, usage, upstreamId, streamed: true, reply: sealed });
    reply.end(lastEvent);
  }
}
