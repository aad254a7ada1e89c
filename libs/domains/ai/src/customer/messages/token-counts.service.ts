import { Injectable, Logger } from '@nestjs/common';
import { ClientGoneError, CustomerContextService } from '@platform/context';
import { AiUpstream } from '../../ports/ai-upstream.port';
import { ProviderKeysService } from '../../provider-keys/provider-keys.service';
import { type AiModel, AiModelsService } from '../ai-models.service';
import type { MessageRequest } from '../message-request/message-request-reader';
import { callFailure, callRefused, failureReason } from './call-errors';
import { CallsInFlightService } from './calls-in-flight.service';

/** A customer's model, and whose it is. */
type CustomerModel = AiModel & { customerId: string };

/** Counts the input tokens of messages: the provider's estimate. It costs nothing, and reserves nothing. */
@Injectable()
export class TokenCountsService {
  private readonly logger = new Logger(TokenCountsService.name);

  constructor(
    private readonly upstream: AiUpstream,
    private readonly keys: ProviderKeysService,
    private readonly models: AiModelsService,
    private readonly calls: CallsInFlightService,
    private readonly context: CustomerContextService,
  ) {}

  /**
   * Counts the tokens of a message of the customer in context. The call ends with its client.
   * @throws ClientGoneError; ServiceError ai_not_configured, ai_upstream_rejected, ai_upstream_failed
   */
  async count(request: MessageRequest): Promise<number> {
    const { customerId } = this.context;
    const model = await this.models.find();
    if (!model) throw callRefused('not_configured');
    const shutdown = this.calls.begin();
    const forget = this.context.onAbandoned(() => shutdown.value.abort());
    try {
      return await this.countFor({ customerId, ...model }, request, shutdown.value.signal);
    } catch (error) {
      throw this.context.isAbandoned ? new ClientGoneError() : error;
    } finally {
      forget();
      shutdown.remove();
    }
  }

  /** Counts the tokens of a message for a model that is known. @throws ServiceError as {@link count} */
  async countFor(
    { customerId, model, keyCiphertext }: CustomerModel,
    request: MessageRequest,
    signal: AbortSignal,
  ): Promise<number> {
    try {
      const apiKey = this.keys.keyFor(customerId, keyCiphertext);
      return await this.upstream.countTokens({ customerId, apiKey, model, content: request }, signal);
    } catch (error) {
      if (!signal.aborted) this.logger.warn({ msg: 'AI tokens could not be counted', reason: failureReason(error) });
      throw callFailure(error);
    }
  }
}
