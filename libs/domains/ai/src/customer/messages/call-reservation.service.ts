import { randomUUID } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import { AppConfig } from '@platform/config';
import { mayHaveRun } from '@platform/database';
import { ServiceError } from '@platform/errors';
import { KeyTakenError } from '@platform/idempotency';
import { CreditLedger } from '../../ledger/credit-ledger.port';
import type { ReservationRequest, ReservationResult } from '../../ledger/credit-ledger.types';
import type { MessageRequest } from '../message-request/message-request';
import { AiUpstream } from '../../ports/ai-upstream.port';
import type { AnswerKey } from './ai-answer';
import { CallResolutionService } from './call-resolution.service';
import { CallsInFlightService } from './calls-in-flight.service';
import { reasonOf, toServiceError } from './failure-reason';
import { refused } from './credit-refusal';
import { type CallConfiguration, UpstreamCallsService } from './upstream-calls.service';

/** A call to make for a customer. */
export interface CustomerCall {
  customerId: string;
  /** The token that asks. */
  tokenId: string | null;
  /** The id of the API request. */
  requestId: string | null;
  /** The Idempotency-Key to claim. */
  key?: Omit<AnswerKey, 'seal'>;
}

/** A call whose credit is reserved. */
export type ReservedCall = Extract<ReservationResult, { outcome: 'reserved' }> & { customerId: string };

/** The provider calls its count an estimate. The margin covers its error. */
const COUNT_MARGIN = { factor: 1.05, tokens: 100 };

/** Reserves credit for calls, before the provider is called. */
@Injectable()
export class CallReservationService {
  private readonly logger = new Logger(CallReservationService.name);

  constructor(
    private readonly ledger: CreditLedger,
    private readonly resolution: CallResolutionService,
    private readonly upstream: AiUpstream,
    private readonly upstreamCalls: UpstreamCallsService,
    private readonly calls: CallsInFlightService,
    private readonly config: AppConfig,
  ) {}

  /**
   * Reserves the most that a call can cost. @param outputLimit most tokens of the answer @throws ServiceError
   * invalid_request, ai_disabled, ai_not_configured, credit_exhausted, ai_upstream_rejected, ai_upstream_failed
   * @throws KeyTakenError
   */
  async reserve(call: CustomerCall, request: MessageRequest, outputLimit: number): Promise<ReservedCall> {
    const maxTokens = Math.min(request.maxTokens ?? this.config.AI_DEFAULT_MAX_TOKENS, outputLimit);
    const { thinkingTokens = 0 } = request;
    if (thinkingTokens >= maxTokens) throw tooMuchThinking(maxTokens);
    const coarse: ReservationRequest = {
      ...call,
      key: call.key?.claim,
      seed: randomUUID(),
      inputTokens: request.inputTokens,
      cache: request.cache,
      maxTokens,
      leastTokens: Math.max(Math.min(maxTokens, this.config.AI_OUTPUT_TOKENS_FLOOR), thinkingTokens + 1),
      mayShorten: false,
    };
    let result = await this.tryToReserve(coarse);
    if (result.outcome === 'too_large') {
      await call.key?.assertFree();
      const inputTokens = await this.countedInput(call.customerId, request, result);
      result = await this.tryToReserve({ ...coarse, inputTokens, mayShorten: true });
    }
    if (result.outcome === 'reserved') {
      call.key?.claimed();
      return { ...result, customerId: call.customerId };
    }
    if (result.outcome === 'key_taken') throw new KeyTakenError('Another request has the Idempotency-Key');
    // With mayShorten the ledger has no other refusal.
    throw refused(result.outcome === 'too_large' ? 'exhausted' : result.outcome);
  }

  private async tryToReserve(request: ReservationRequest): Promise<ReservationResult> {
    try {
      return await this.ledger.reserve(request);
    } catch (error) {
      if (mayHaveRun(error)) this.resolution.releaseUncertain(request.customerId, request.seed);
      throw error;
    }
  }

  /**
   * Gets a tighter upper bound of the input tokens from the provider. @throws ServiceError if the provider does not
   * answer
   */
  private async countedInput(
    customerId: string,
    request: MessageRequest,
    configured: CallConfiguration,
  ): Promise<number> {
    try {
      const counted = await this.calls.withShutdownSignal((signal) =>
        this.upstream.countTokens(this.upstreamCalls.of(customerId, request, configured), signal),
      );
      return Math.min(request.inputTokens, Math.ceil(counted * COUNT_MARGIN.factor) + COUNT_MARGIN.tokens);
    } catch (error) {
      this.logger.warn({ msg: 'AI tokens could not be counted', reason: reasonOf(error) });
      throw toServiceError(error);
    }
  }
}

function tooMuchThinking(maxTokens: number): ServiceError {
  const detail = `budget_tokens of thinking must be less than max_tokens, which is ${maxTokens} at most here`;
  return new ServiceError('invalid_request', detail, { errors: [{ pointer: '/thinking/budget_tokens', detail }] });
}
