import { randomUUID } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import { AppConfig } from '@platform/config';
import { mayHaveRun } from '@platform/database';
import { ServiceError } from '@platform/errors';
import { type KeyedCall, KeyTakenError } from '@platform/idempotency';
import { SecretUnreadableError } from '@platform/secrets';
import {
  CreditLedger,
  type ReservationRefusal,
  type ReservationRequest,
  type ReservationResult,
} from '../../ledger/credit-ledger.port';
import { AiUpstream, UpstreamError } from '../../ports/ai-upstream.port';
import { ProviderKeysService } from '../../provider-keys/provider-keys.service';
import type { AiModel } from '../ai-models.service';
import type { MessageRequest } from '../message-request/body-fields';
import { CallResolutionService } from './call-resolution.service';

/** A call to make for a customer. */
export interface CustomerCall {
  customerId: string;
  /** The token that asks. */
  tokenId: string | null;
  /** The id of the API request. */
  requestId: string | null;
  /** The request's Idempotency-Key, to be claimed with the reservation. */
  key?: KeyedCall;
}

/** A call whose credit is reserved. */
export type ReservedCall = Extract<ReservationResult, { outcome: 'reserved' }>;

/** The provider calls its count an estimate. The margin covers its error. */
const COUNT_MARGIN = { factor: 1.05, tokens: 100 };
/** `Retry-After` when calls in progress have reserved the credit: most calls take seconds. */
const RESERVED_RETRY_SECONDS = 5;

/** Reserves credit for calls, before the provider is called. */
@Injectable()
export class CallReservationService {
  private readonly logger = new Logger(CallReservationService.name);

  constructor(
    private readonly ledger: CreditLedger,
    private readonly resolution: CallResolutionService,
    private readonly upstream: AiUpstream,
    private readonly keys: ProviderKeysService,
    private readonly config: AppConfig,
  ) {}

  /**
   * Reserves the most that a call can cost. If the credit does not cover the upper bound of its size, the provider counts its
   * tokens, and the answer may be shortened.
   * @param outputLimit most tokens of the answer
   * @param signal aborts the count
   * @throws ServiceError invalid_request, ai_disabled, ai_not_configured, credit_exhausted, ai_upstream_rejected,
   * ai_upstream_failed; KeyTakenError
   */
  async reserve(
    { customerId, tokenId, requestId, key }: CustomerCall,
    request: MessageRequest,
    outputLimit: number,
    signal: AbortSignal,
  ): Promise<ReservedCall> {
    const maxTokens = Math.min(request.maxTokens ?? this.config.AI_DEFAULT_MAX_TOKENS, outputLimit);
    const { thinkingTokens = 0, inputTokens, cache } = request;
    if (thinkingTokens >= maxTokens) throw tooMuchThinking(maxTokens);
    const wanted: ReservationRequest = {
      customerId,
      tokenId,
      requestId,
      key: key?.claim,
      seed: randomUUID(),
      inputTokens,
      cache,
      maxTokens,
      leastTokens: Math.max(Math.min(maxTokens, this.config.AI_OUTPUT_TOKENS_FLOOR), thinkingTokens + 1),
      mayShorten: false,
    };
    let result = await this.tryToReserve(wanted);
    if (result.outcome === 'too_large') {
      await key?.assertFree();
      const counted = await this.countTokens(customerId, request, result, signal);
      const bound = Math.min(inputTokens, Math.ceil(counted * COUNT_MARGIN.factor) + COUNT_MARGIN.tokens);
      result = await this.tryToReserve({ ...wanted, inputTokens: bound, mayShorten: true });
    }
    if (result.outcome === 'reserved') {
      key?.claimed();
      return result;
    }
    if (result.outcome === 'key_taken') throw new KeyTakenError('Another request has the Idempotency-Key');
    // With mayShorten the ledger has no other refusal.
    throw refusal(result.outcome === 'too_large' ? 'exhausted' : result.outcome);
  }

  /**
   * The provider's estimate of a request's input tokens. @throws ServiceError ai_not_configured, ai_upstream_rejected,
   * ai_upstream_failed
   */
  async countTokens(
    customerId: string,
    request: MessageRequest,
    { model, keyCiphertext }: AiModel,
    signal: AbortSignal,
  ): Promise<number> {
    try {
      const apiKey = this.keys.keyFor(customerId, keyCiphertext);
      return await this.upstream.countTokens({ customerId, apiKey, model, content: request }, signal);
    } catch (error) {
      this.logger.warn({ msg: 'AI tokens could not be counted', reason: reasonOf(error) });
      throw errorForCustomer(error);
    }
  }

  private tryToReserve(request: ReservationRequest): Promise<ReservationResult> {
    return this.ledger.reserve(request).catch((error: unknown) => {
      if (mayHaveRun(error)) this.resolution.releaseUncertain(request.customerId, request.seed);
      throw error;
    });
  }
}

/** The error for a refused reservation. */
export function refusal(outcome: Exclude<ReservationRefusal, 'key_taken'>): ServiceError {
  switch (outcome) {
    case 'disabled':
      return new ServiceError('ai_disabled', 'AI is not enabled for you; ask the operator');
    case 'not_configured':
      return new ServiceError('ai_not_configured', 'No AI model or key is configured for you; ask the operator');
    case 'in_progress':
      return new ServiceError(
        'credit_exhausted',
        'Your messages in progress have reserved the credit that this one needs (reserved_credit of GET /ai); ' +
          'try again when they have been answered',
        { retryAfterSeconds: RESERVED_RETRY_SECONDS },
      );
    case 'over_limit':
      return new ServiceError(
        'credit_exhausted',
        'The operator has limited your usage of a month, purchased credit included, and this message would go beyond ' +
          'it (current_month_limit of GET /ai); ask the operator, or wait for the next month',
      );
    case 'exhausted':
      return new ServiceError(
        'credit_exhausted',
        'Your AI credit does not cover this message; ask for more with POST /ai/credit-requests',
      );
  }
}

/** Why a call failed, in a few words for the operator. */
export function reasonOf(error: unknown): string {
  if (error instanceof UpstreamError) return error.fault.reason;
  return error instanceof SecretUnreadableError ? 'key unreadable' : 'internal error';
}

/** The error of a failed call for the customer. */
export function errorForCustomer(error: unknown): unknown {
  if (error instanceof UpstreamError) return error.toServiceError();
  return error instanceof SecretUnreadableError ? refusal('not_configured') : error;
}

function tooMuchThinking(maxTokens: number): ServiceError {
  const detail = `budget_tokens of thinking must be less than max_tokens, which is ${maxTokens} at most here`;
  return new ServiceError('invalid_request', detail, { errors: [{ pointer: '/thinking/budget_tokens', detail }] });
}
