import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { AppConfig } from '@platform/config';
import { mayHaveRun } from '@platform/database';
import { type KeyedCall, KeyTakenError } from '@platform/idempotency';
import { CreditLedger, type ReservationRequest, type ReservationResult } from '../../ledger/credit-ledger.port';
import type { MessageRequest } from '../message-request/message-request-reader';
import { callRefused, tooMuchThinking } from './call-errors';
import { CallResolutionService } from './call-resolution.service';
import { TokenCountsService } from './token-counts.service';

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

/** Reserves credit for calls, before the provider is called. */
@Injectable()
export class CallReservationService {
  constructor(
    private readonly ledger: CreditLedger,
    private readonly resolution: CallResolutionService,
    private readonly tokenCounts: TokenCountsService,
    private readonly config: AppConfig,
  ) {}

  /**
   * Reserves the most that a call can cost. If the credit does not cover the upper bound of its size, the provider counts its
   * tokens, and the answer may be shortened.
   * @param streamed whether the answer is streamed: then it may be longer
   * @param signal aborts the count
   * @throws ServiceError invalid_request, ai_disabled, ai_not_configured, credit_exhausted, ai_upstream_rejected,
   * ai_upstream_failed; KeyTakenError
   */
  async reserve(
    { customerId, tokenId, requestId, key }: CustomerCall,
    request: MessageRequest,
    streamed: boolean,
    signal: AbortSignal,
  ): Promise<ReservedCall> {
    const { AI_OUTPUT_TOKENS_LIMIT, AI_STREAM_OUTPUT_TOKENS_LIMIT, AI_DEFAULT_MAX_TOKENS } = this.config;
    const most = streamed ? AI_STREAM_OUTPUT_TOKENS_LIMIT : AI_OUTPUT_TOKENS_LIMIT;
    const maxTokens = Math.min(request.maxTokens ?? AI_DEFAULT_MAX_TOKENS, most);
    const { thinkingTokens = 0, inputTokens, cache } = request;
    if (thinkingTokens >= maxTokens) throw tooMuchThinking(maxTokens);
    const leastAnswer = Math.min(maxTokens, this.config.AI_OUTPUT_TOKENS_FLOOR);
    const wanted: ReservationRequest = {
      customerId,
      tokenId,
      requestId,
      key: key?.claim,
      seed: randomUUID(),
      inputTokens,
      cache,
      maxTokens,
      leastTokens: Math.max(leastAnswer, thinkingTokens + 1),
      mayShorten: false,
      streamed,
    };
    let result = await this.tryToReserve(wanted);
    if (result.outcome === 'too_large') {
      await key?.assertFree();
      const counted = await this.tokenCounts.countFor({ customerId, ...result }, request, signal);
      const bound = Math.min(inputTokens, Math.ceil(counted * COUNT_MARGIN.factor) + COUNT_MARGIN.tokens);
      result = await this.tryToReserve({ ...wanted, inputTokens: bound, mayShorten: true });
    }
    if (result.outcome === 'reserved') {
      key?.claimed();
      return result;
    }
    if (result.outcome === 'key_taken') throw new KeyTakenError('Another request has the Idempotency-Key');
    // With mayShorten the ledger has no other refusal.
    throw callRefused(result.outcome === 'too_large' ? 'exhausted' : result.outcome, thinkingTokens >= leastAnswer);
  }

  private tryToReserve(request: ReservationRequest): Promise<ReservationResult> {
    return this.ledger.reserve(request).catch((error: unknown) => {
      if (mayHaveRun(error)) this.resolution.releaseUncertain(request.customerId, request.seed);
      throw error;
    });
  }
}
