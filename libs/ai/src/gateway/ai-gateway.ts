import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { AppConfig } from '@app/config';
import { isDatabaseUnavailable } from '@app/database';
import { ServiceError } from '@app/errors';
import { SecretUnreadableError } from '@app/secrets';
import { HoldBook } from '../ledger/hold-book';
import type { CallEnd, HoldRequest, HoldResult, Settlement } from '../ledger/hold-book.types';
import type { MessageRequest } from '../messages/message-request';
import { AiUpstream, type UpstreamMessage } from '../upstream/ai-upstream';
import { UpstreamError } from '../upstream/upstream-error';
import { CallsInFlight } from './calls-in-flight';
import { KeyRing } from '../key-ring';

/** On whose behalf a message is sent. */
export interface AiCaller {
  customerId: string;
  tokenId: string | null;
  /** The id of the caller's request. */
  requestId: string | null;
}

type Held = Extract<HoldResult, { outcome: 'held' }>;
type Configured = Pick<Held, 'model' | 'keyCiphertext'>;

/** The provider calls its count an estimate: room for what it may be off. */
const COUNT_MARGIN = { factor: 1.05, tokens: 100 };
const SETTLE_RETRY_MS = 250;

/** Sends messages to the AI model, each paid for from the customer's credit: hold, call, settle (design §7). */
@Injectable()
export class AiGateway {
  private readonly logger = new Logger(AiGateway.name);

  constructor(
    private readonly book: HoldBook,
    private readonly upstream: AiUpstream,
    private readonly keys: KeyRing,
    private readonly calls: CallsInFlight,
    private readonly config: AppConfig,
  ) {}

  /**
   * Sends a message; a caller that stops listening does not stop it.
   * @returns the provider's reply, byte for byte, once it is charged.
   * @throws ServiceError ai_disabled, ai_not_configured, credit_exhausted, ai_upstream_rejected, ai_upstream_failed
   */
  send(caller: AiCaller, request: MessageRequest): Promise<Buffer> {
    return this.calls.track(this.charged(caller, request));
  }

  private async charged(caller: AiCaller, request: MessageRequest): Promise<Buffer> {
    const { customerId } = caller;
    // No reservation is written for a call that will not be made.
    const down = this.upstream.unavailable();
    if (down) throw down.toServiceError();
    const holdId = randomUUID();
    const held = await this.hold(caller, request, holdId);
    let message: UpstreamMessage;
    try {
      message = await this.call(customerId, request, held);
    } catch (error) {
      throw await this.letGo(customerId, holdId, error);
    }
    const settlement = { customerId, holdId, usage: message.usage, upstreamId: message.requestId };
    if ((await this.settle(settlement)) === 'settled') return message.body;
    // Given up before the answer came: it was not charged, so it is not handed out.
    this.logger.error({
      msg: 'AI call answered after it was given up',
      hold_id: holdId,
      upstream_request_id: message.requestId,
    });
    throw new ServiceError('ai_upstream_failed', 'The AI provider answered too late. You were not charged');
  }

  private async hold(caller: AiCaller, request: MessageRequest, holdId: string): Promise<Held> {
    const maxTokens = Math.min(
      request.maxTokens ?? this.config.AI_DEFAULT_MAX_TOKENS,
      this.config.AI_OUTPUT_TOKENS_LIMIT,
    );
    const wish: HoldRequest = {
      ...caller,
      holdId,
      inputTokens: request.inputTokens,
      cache: request.cache,
      maxTokens,
      leastTokens: Math.min(maxTokens, this.config.AI_OUTPUT_TOKENS_FLOOR),
      mayShorten: false,
    };
    let result = await this.book.hold(wish);
    if (result.outcome === 'too_large') {
      const inputTokens = await this.countedInput(caller.customerId, request, result);
      result = await this.book.hold({ ...wish, inputTokens, mayShorten: true });
    }
    if (result.outcome === 'held') return result;
    throw refused(result.outcome);
  }

  /** A closer bound of the input than its size gives, if the provider tells one. */
  private async countedInput(customerId: string, request: MessageRequest, configured: Configured): Promise<number> {
    try {
      const counted = await this.calls.endable((signal) =>
        this.upstream.countTokens(this.callOf(customerId, request, configured), signal),
      );
      return Math.min(request.inputTokens, Math.ceil(counted * COUNT_MARGIN.factor) + COUNT_MARGIN.tokens);
    } catch (error) {
      this.logger.warn({ msg: 'AI tokens could not be counted', reason: reasonOf(error) });
      return request.inputTokens;
    }
  }

  private call(customerId: string, request: MessageRequest, held: Held): Promise<UpstreamMessage> {
    const call = { ...this.callOf(customerId, request, held), maxTokens: held.maxTokens };
    return this.calls.endable((signal) => this.upstream.createMessage(call, signal));
  }

  private callOf(customerId: string, { messages, system }: MessageRequest, { model, keyCiphertext }: Configured) {
    return { customerId, apiKey: this.keys.keyFor(customerId, keyCiphertext), model, messages, system };
  }

  /** Ends the hold of a call that brought nothing. @returns the error to answer with. */
  private async letGo(customerId: string, holdId: string, error: unknown): Promise<unknown> {
    const upstreamId = error instanceof UpstreamError ? error.fault.requestId : undefined;
    const reason = reasonOf(error);
    this.logger.warn({ msg: 'AI call failed', reason, hold_id: holdId, upstream_request_id: upstreamId });
    try {
      await this.book.release({ customerId, holdId, reason });
    } catch (failure) {
      // The worker gives the hold up when its deadline has passed.
      this.logger.error({ msg: 'AI hold could not be released', hold_id: holdId, err: failure });
    }
    if (error instanceof UpstreamError) return error.toServiceError();
    if (error instanceof SecretUnreadableError) return refused('not_configured');
    return error;
  }

  /** Settles, and while the database is away tries again: a settlement can be said any number of times. */
  private async settle(settlement: Settlement): Promise<CallEnd> {
    const giveUpAt = performance.now() + this.config.AI_HOLD_MARGIN_MS / 2;
    for (;;) {
      try {
        return await this.book.settle(settlement);
      } catch (error) {
        if (!isDatabaseUnavailable(error) || performance.now() > giveUpAt) {
          this.logger.error({ msg: 'AI call could not be settled', hold_id: settlement.holdId, err: error });
          throw error;
        }
        await delay(SETTLE_RETRY_MS);
      }
    }
  }
}

function refused(outcome: Exclude<HoldResult['outcome'], 'held'>): ServiceError {
  switch (outcome) {
    case 'disabled':
      return new ServiceError('ai_disabled', 'AI is not enabled for you; ask the operator');
    case 'not_configured':
      return new ServiceError('ai_not_configured', 'No AI model or key is configured for you; ask the operator');
    default:
      return new ServiceError(
        'credit_exhausted',
        'Your AI credit does not cover this message; ask for more with POST /ai/credit-requests',
      );
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof UpstreamError) return error.fault.reason;
  return error instanceof SecretUnreadableError ? 'key unreadable' : 'internal error';
}
