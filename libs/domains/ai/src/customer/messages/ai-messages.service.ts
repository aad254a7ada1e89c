import { randomUUID } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import { AppConfig } from '@platform/config';
import { CustomerContextService } from '@platform/context';
import { isDatabaseUnavailable } from '@platform/database';
import { SecretUnreadableError } from '@platform/secrets';
import { ProviderKeysService } from '../../provider-keys/provider-keys.service';
import { CreditLedger } from '../../ledger/credit-ledger.port';
import type { ReservationRequest, ReservationResult } from '../../ledger/credit-ledger.types';
import type { MessageRequest } from '../message-request/message-request';
import { AiUpstream, type UpstreamMessage } from '../../ports/ai-upstream.port';
import { UpstreamError } from '../../ports/upstream-error';
import { CallResolutionService } from './call-resolution.service';
import { CallsInFlightService } from './calls-in-flight.service';
import { reasonOf } from './failure-reason';
import { refused } from './credit-refusal';

/** What a message's reservation remembers of the request; the customer is the one in context. */
export interface AiCaller {
  /** The token that asks. */
  tokenId: string | null;
  /** The id of the request. */
  requestId: string | null;
}

/** A request for a message, and whose it is. */
type CustomerCall = AiCaller & { customerId: string };

type Reserved = Extract<ReservationResult, { outcome: 'reserved' }>;
type Configured = Pick<Reserved, 'model' | 'keyCiphertext'>;

/** The provider calls its count an estimate. The margin covers its error. */
const COUNT_MARGIN = { factor: 1.05, tokens: 100 };

/** Sends messages to the AI model and charges them to the customer's credit: reserve, call, settle. */
@Injectable()
export class AiMessagesService {
  private readonly logger = new Logger(AiMessagesService.name);

  constructor(
    private readonly ledger: CreditLedger,
    private readonly resolution: CallResolutionService,
    private readonly upstream: AiUpstream,
    private readonly keys: ProviderKeysService,
    private readonly calls: CallsInFlightService,
    private readonly config: AppConfig,
    private readonly context: CustomerContextService,
  ) {}

  /**
   * Sends a message. The call goes on if the caller disconnects.
   * @returns the provider's reply, byte for byte, once it is charged
   * @throws ServiceError ai_disabled, ai_not_configured, credit_exhausted, ai_upstream_rejected, ai_upstream_failed,
   * service_unavailable
   */
  send(caller: AiCaller, request: MessageRequest): Promise<Buffer> {
    const { customerId } = this.context;
    return this.calls.track(this.charged({ ...caller, customerId }, request));
  }

  private async charged(caller: CustomerCall, request: MessageRequest): Promise<Buffer> {
    const { customerId } = caller;
    // A call that would not be made needs no reservation.
    const down = this.upstream.unavailable();
    if (down) throw down.toServiceError();
    const reserved = await this.reserve(caller, request);
    const { reservationId } = reserved;
    let message: UpstreamMessage;
    try {
      message = await this.call(customerId, request, reserved);
    } catch (error) {
      throw await this.failed(customerId, reservationId, error);
    }
    const { usage, requestId: upstreamId, body } = message;
    await this.resolution.settle({ customerId, reservationId, usage, upstreamId });
    return body;
  }

  private async reserve(caller: CustomerCall, request: MessageRequest): Promise<Reserved> {
    const maxTokens = Math.min(
      request.maxTokens ?? this.config.AI_DEFAULT_MAX_TOKENS,
      this.config.AI_OUTPUT_TOKENS_LIMIT,
    );
    const coarse: ReservationRequest = {
      ...caller,
      seed: randomUUID(),
      inputTokens: request.inputTokens,
      cache: request.cache,
      maxTokens,
      leastTokens: Math.min(maxTokens, this.config.AI_OUTPUT_TOKENS_FLOOR),
      mayShorten: false,
    };
    let result = await this.tryToReserve(coarse);
    if (result.outcome === 'too_large') {
      const inputTokens = await this.countedInput(caller.customerId, request, result);
      result = await this.tryToReserve({ ...coarse, inputTokens, mayShorten: true });
    }
    if (result.outcome === 'reserved') return result;
    // With p_may_shorten the ledger has no other refusal.
    throw refused(result.outcome === 'too_large' ? 'exhausted' : result.outcome);
  }

  private async tryToReserve(request: ReservationRequest): Promise<ReservationResult> {
    try {
      return await this.ledger.reserve(request);
    } catch (error) {
      if (isDatabaseUnavailable(error)) this.resolution.releaseUncertain(request.customerId, request.seed);
      throw error;
    }
  }

  /**
   * Gets a tighter upper bound of the input tokens from the provider. @throws ServiceError if the provider does not
   * answer
   */
  private async countedInput(customerId: string, request: MessageRequest, configured: Configured): Promise<number> {
    try {
      const counted = await this.calls.withShutdownSignal((signal) =>
        this.upstream.countTokens(this.callOf(customerId, request, configured), signal),
      );
      return Math.min(request.inputTokens, Math.ceil(counted * COUNT_MARGIN.factor) + COUNT_MARGIN.tokens);
    } catch (error) {
      this.logger.warn({ msg: 'AI tokens could not be counted', reason: reasonOf(error) });
      throw toServiceError(error);
    }
  }

  private call(customerId: string, request: MessageRequest, reserved: Reserved): Promise<UpstreamMessage> {
    const call = { ...this.callOf(customerId, request, reserved), maxTokens: reserved.maxTokens };
    return this.calls.withShutdownSignal((signal) => this.upstream.createMessage(call, signal));
  }

  private callOf(customerId: string, { messages, system }: MessageRequest, { model, keyCiphertext }: Configured) {
    return { customerId, apiKey: this.keys.keyFor(customerId, keyCiphertext), model, messages, system };
  }

  /** Releases the reservation of a call that failed. @returns the error to reply with */
  private async failed(customerId: string, reservationId: string, error: unknown): Promise<unknown> {
    const upstreamId = error instanceof UpstreamError ? error.fault.requestId : undefined;
    const reason = reasonOf(error);
    const call = { reservation_id: reservationId, upstream_request_id: upstreamId };
    this.logger.warn({ msg: 'AI call failed', reason, ...call });
    await this.resolution.release({ customerId, reservationId, outcome: 'released', reason });
    return toServiceError(error);
  }
}

function toServiceError(error: unknown): unknown {
  if (error instanceof UpstreamError) return error.toServiceError();
  return error instanceof SecretUnreadableError ? refused('not_configured') : error;
}
