import { Injectable } from '@nestjs/common';
import { AppConfig } from '@platform/config';
import { CustomerContextService } from '@platform/context';
import type { MessageRequest } from '../message-request/message-request';
import { AiUpstream, type UpstreamMessage } from '../../ports/ai-upstream.port';
import type { AiAnswer, AnswerForm } from './ai-answer';
import { CallReservationService, type CustomerCall } from './call-reservation.service';
import { CallResolutionService } from './call-resolution.service';
import { CallsInFlightService } from './calls-in-flight.service';
import { FailedCallsService } from './failed-calls.service';
import { MessageStreamsService } from './stream/message-streams.service';
import { UpstreamCallsService } from './upstream-calls.service';

/** What a message's reservation remembers of the request; the customer is the one in context. */
export type AiCaller = Pick<CustomerCall, 'tokenId' | 'requestId'>;

/** Sends messages to the AI model and charges them to the customer's credit: reserve, call, settle. */
@Injectable()
export class AiMessagesService {
  constructor(
    private readonly reservations: CallReservationService,
    private readonly resolution: CallResolutionService,
    private readonly failed: FailedCallsService,
    private readonly upstream: AiUpstream,
    private readonly upstreamCalls: UpstreamCallsService,
    private readonly calls: CallsInFlightService,
    private readonly streams: MessageStreamsService,
    private readonly config: AppConfig,
    private readonly context: CustomerContextService,
  ) {}

  /**
   * Sends a message. The call goes on if the caller disconnects.
   * @returns the answer: once it is charged; or, as a stream, when it begins: its last event comes once it is charged
   * @throws ServiceError invalid_request, ai_disabled, ai_not_configured, credit_exhausted, ai_upstream_rejected,
   * ai_upstream_failed, service_unavailable
   */
  send(caller: AiCaller, request: MessageRequest, form: AnswerForm): Promise<AiAnswer> {
    // A call that would not be made needs no reservation.
    const down = this.upstream.unavailable();
    if (down) return Promise.reject(down.toServiceError());
    const call: CustomerCall = { ...caller, customerId: this.context.customerId, key: form.key };
    return form.stream ? this.streams.open(call, request, form) : this.calls.track(this.charged(call, request, form));
  }

  private async charged(call: CustomerCall, request: MessageRequest, { key }: AnswerForm): Promise<AiAnswer> {
    const reserved = await this.reservations.reserve(call, request, this.config.AI_OUTPUT_TOKENS_LIMIT);
    const { customerId, reservationId } = reserved;
    let message: UpstreamMessage;
    try {
      message = await this.calls.withShutdownSignal((signal) => {
        const upstreamCall = this.upstreamCalls.of(customerId, request, reserved);
        return this.upstream.createMessage({ ...upstreamCall, maxTokens: reserved.maxTokens }, signal);
      });
    } catch (error) {
      throw await this.failed.end(reserved, error);
    }
    const { usage, requestId: upstreamId, body } = message;
    const reply = key && (await key.seal(body, reservationId));
    const charge = await this.resolution.settle({ customerId, reservationId, usage, upstreamId, reply });
    return { usageId: reservationId, body, charge, ended: Promise.resolve() };
  }
}
