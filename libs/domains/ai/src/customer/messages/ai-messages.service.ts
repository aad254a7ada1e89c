import type { Readable } from 'node:stream';
import { Injectable, Logger } from '@nestjs/common';
import { AppConfig } from '@platform/config';
import { CustomerContextService } from '@platform/context';
import { HeldShares, TimeShares } from '@platform/fairness';
import { type KeyedCall, KeyedCallsService, type SealedReply } from '@platform/idempotency';
import type { SettlementResult } from '../../ledger/credit-ledger.port';
import {
  AiUpstream,
  UpstreamError,
  type UpstreamMessage,
  type UpstreamMessageCall,
  type UpstreamMessageStream,
} from '../../ports/ai-upstream.port';
import { ProviderKeysService } from '../../provider-keys/provider-keys.service';
import type { MessageRequest } from '../message-request/message-request-reader';
import { callFailure, failureReason } from './call-errors';
import { CallReservationService, type CustomerCall, type ReservedCall } from './call-reservation.service';
import { CallResolutionService } from './call-resolution.service';
import { CallsInFlightService } from './calls-in-flight.service';
import { type EventMemory, ReplyStream } from './reply-stream';

/** What a piece of a stream costs the process, and each of its bytes, in milliseconds: to be read, looked at and sent on. */
const PIECE_MS = 0.02;
const MS_PER_BYTE = 2e-5;
/** For the events of all streams that are kept for Idempotency-Keys; one customer may have half of it. */
const KEPT_EVENTS_BYTES = 256 * 1024 * 1024;

/** The sender of a message, as its receipt names it; the customer is the one in context. */
export type AiCaller = Pick<CustomerCall, 'tokenId' | 'requestId'>;

/** The form of an answer. */
export interface AnswerForm {
  stream: boolean;
  /** Makes the headers that are kept with the answer for the request's Idempotency-Key. */
  headers: (usageId: string) => Record<string, string>;
  /** Makes the event that tells the reader of a stream why it broke off. */
  errorEvent: (error: unknown) => Buffer;
}

/** A message that the provider generated, and that is charged. */
export interface WholeAnswer {
  /** The id under which the call's usage is recorded. */
  usageId: string;
  /** The provider's reply, byte for byte. */
  body: Buffer;
  /** The call's charge, and the credit after it, in NOK as decimal texts. */
  charge: Pick<SettlementResult, 'charged' | 'remaining'>;
}

/** A message that the provider is generating. */
export interface StreamedAnswer {
  /** The id under which the call's usage is recorded once it is charged. */
  usageId: string;
  /** The provider's events, byte for byte. */
  events: Readable;
  /** Resolves when nothing of the request is needed any more: a stream goes on without its reader. */
  ended: Promise<void>;
}

/** The answer to a request for a message. */
export type AiAnswer = WholeAnswer | StreamedAnswer;

/** A stream whose credit is reserved, and whose events are coming. */
interface BegunStream {
  reserved: ReservedCall;
  events: UpstreamMessageStream;
}

/**
 * Sends messages to the AI model and charges them to the customer's credit: reserve, call, settle. With an Idempotency-Key,
 * the reservation claims the key, and the settlement keeps the answer for it.
 */
@Injectable()
export class AiMessagesService {
  private readonly logger = new Logger(AiMessagesService.name);
  /** The events of streams that are kept for Idempotency-Keys. A stream without room is charged all the same, and its reply is not kept. */
  private readonly keptEvents = new HeldShares(KEPT_EVENTS_BYTES);

  constructor(
    private readonly reservations: CallReservationService,
    private readonly resolution: CallResolutionService,
    private readonly calls: CallsInFlightService,
    private readonly upstream: AiUpstream,
    private readonly keys: ProviderKeysService,
    private readonly keyedCalls: KeyedCallsService,
    private readonly context: CustomerContextService,
    private readonly shares: TimeShares,
    private readonly config: AppConfig,
  ) {}

  /**
   * Sends a message. The call goes on if the caller disconnects.
   * @returns the answer: once it is charged; or, as a stream, when it begins: its last event comes once it is charged
   * @throws ServiceError invalid_request, ai_disabled, ai_not_configured, credit_exhausted, ai_upstream_rejected,
   * ai_upstream_failed, service_unavailable; KeyTakenError
   */
  send({ tokenId, requestId }: AiCaller, request: MessageRequest, form: AnswerForm): Promise<AiAnswer> {
    // A call that would not be made needs no reservation.
    const down = this.upstream.unavailable();
    if (down) return Promise.reject(down.toServiceError());
    const call = { customerId: this.context.customerId, tokenId, requestId, key: this.keyedCalls.current };
    if (form.stream) return this.stream(call, request, form);
    const shutdown = this.calls.begin();
    return this.calls.track(this.answer(call, request, form, shutdown.value.signal), shutdown);
  }

  private async answer(
    call: CustomerCall,
    request: MessageRequest,
    form: AnswerForm,
    signal: AbortSignal,
  ): Promise<WholeAnswer> {
    const reserved = await this.reservations.reserve(call, request, false, signal);
    let message: UpstreamMessage;
    try {
      message = await this.upstream.createMessage(this.upstreamCall(call, request, reserved), signal);
    } catch (error) {
      throw await this.fail(call, reserved, error);
    }
    const { body } = message;
    const charge = await this.settle(call, reserved, form, message, body);
    return { usageId: reserved.reservationId, body, charge };
  }

  /**
   * Streams a message: resolves when its first event is there. Whether its reader stays or not, a stream is read to its end and
   * charged; it is charged before its reader gets the last event. One that breaks off is not charged.
   */
  private stream(call: CustomerCall, request: MessageRequest, form: AnswerForm): Promise<StreamedAnswer> {
    const opened = Promise.withResolvers<StreamedAnswer>();
    const reply = new ReplyStream(this.config.AI_STREAM_PATIENCE_MS);
    const shutdown = this.calls.begin();
    const ended = this.calls.track(
      this.beginStream(call, request, shutdown.value.signal)
        .then((begun) => {
          const usageId = begun.reserved.reservationId;
          reply.once('begun', () => opened.resolve({ usageId, events: reply, ended }));
          return reply.relay(begun.events, {
            received: (bytes) => this.shares.charge(call.customerId, PIECE_MS + bytes * MS_PER_BYTE),
            memory: call.key && this.memoryOf(call.customerId),
            settle: (usage, body) =>
              this.settle(call, begun.reserved, form, { usage, requestId: begun.events.requestId }, body),
            brokeOff: (error) => this.fail(call, begun.reserved, error),
          });
        })
        .catch((error: unknown) => {
          if (reply.begun) reply.end(form.errorEvent(error));
          else opened.reject(error);
        }),
      shutdown,
    );
    reply.once('gone', () => this.calls.detach(ended));
    return opened.promise;
  }

  private memoryOf(customerId: string): EventMemory {
    return {
      take: (bytes) => this.keptEvents.take(customerId, bytes) === 'granted',
      give: (bytes) => this.keptEvents.give(customerId, bytes),
    };
  }

  /** Reserves the credit and calls the provider. The request may be large, so nothing keeps it longer than this. */
  private async beginStream(call: CustomerCall, request: MessageRequest, signal: AbortSignal): Promise<BegunStream> {
    const reserved = await this.reservations.reserve(call, request, true, signal);
    try {
      return {
        reserved,
        events: await this.upstream.streamMessage(this.upstreamCall(call, request, reserved), signal),
      };
    } catch (error) {
      throw await this.fail(call, reserved, error);
    }
  }

  private upstreamCall(
    { customerId }: CustomerCall,
    request: MessageRequest,
    { model, keyCiphertext, maxTokens }: ReservedCall,
  ): UpstreamMessageCall {
    return { customerId, apiKey: this.keys.keyFor(customerId, keyCiphertext), model, maxTokens, content: request };
  }

  /**
   * Charges a call. @param body the answer, to be kept for the call's Idempotency-Key; null if it is too large to be kept
   * @throws ServiceError as CallResolutionService.settle
   */
  private async settle(
    { customerId, key }: CustomerCall,
    { reservationId }: ReservedCall,
    form: AnswerForm,
    { usage, requestId: upstreamId }: Pick<UpstreamMessage, 'usage' | 'requestId'>,
    body: Buffer | null,
  ): Promise<SettlementResult> {
    const reply = key && (body ? await this.seal(key, body, form, reservationId) : null);
    return await this.resolution.settle({
      customerId,
      reservationId,
      usage,
      upstreamId,
      streamed: form.stream,
      reply,
    });
  }

  /** @returns the answer as it is kept; null if it is too large or cannot be: it was generated, and is charged all the same */
  private async seal(
    key: KeyedCall,
    body: Buffer,
    form: AnswerForm,
    reservationId: string,
  ): Promise<SealedReply | null> {
    try {
      return await key.seal(body, form.headers(reservationId));
    } catch (error) {
      const msg = 'the reply of an AI call could not be kept for its Idempotency-Key';
      this.logger.error({ msg, reservation_id: reservationId, err: error });
      return null;
    }
  }

  /**
   * Ends a call for which the provider gave no whole message: it is not charged. One that the provider may bill all the same has an
   * unknown outcome. @returns the error for the customer
   */
  private async fail({ customerId }: CustomerCall, { reservationId }: ReservedCall, error: unknown): Promise<unknown> {
    const { requestId, usageSoFar, mayBeBilled = false } = error instanceof UpstreamError ? error.fault : {};
    const broke = failureReason(error);
    const reason = usageSoFar === undefined ? broke : `${broke}; reported before: ${usageSoFar || 'nothing'}`;
    this.logger.warn({ msg: 'AI call failed', reason, reservation_id: reservationId, upstream_request_id: requestId });
    const outcome = mayBeBilled ? 'outcome_unknown' : 'released';
    await this.resolution.release({ customerId, reservationId, outcome, reason });
    return callFailure(error);
  }
}
