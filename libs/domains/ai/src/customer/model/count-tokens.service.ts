import { Injectable, Logger } from '@nestjs/common';
import { CustomerContextService } from '@platform/context';
import { AiUpstream } from '../../ports/ai-upstream.port';
import type { MessageRequest } from '../message-request/message-request';
import { CallsInFlightService } from '../messages/calls-in-flight.service';
import { refused } from '../messages/credit-refusal';
import { reasonOf, toServiceError } from '../messages/failure-reason';
import { UpstreamCallsService } from '../messages/upstream-calls.service';
import { AiModelsService } from './ai-models.service';

/** Counts the tokens of requests. It costs nothing, and reserves nothing. */
@Injectable()
export class CountTokensService {
  private readonly logger = new Logger(CountTokensService.name);

  constructor(
    private readonly models: AiModelsService,
    private readonly upstream: AiUpstream,
    private readonly upstreamCalls: UpstreamCallsService,
    private readonly calls: CallsInFlightService,
    private readonly context: CustomerContextService,
  ) {}

  /**
   * The provider's estimate of a request's input tokens. @throws ServiceError ai_not_configured, ai_upstream_rejected,
   * ai_upstream_failed
   */
  async count(request: MessageRequest): Promise<number> {
    const { customerId } = this.context;
    const model = await this.models.find();
    if (!model) throw refused('not_configured');
    try {
      return await this.calls.withShutdownSignal((signal) =>
        this.upstream.countTokens(this.upstreamCalls.of(customerId, request, model), signal),
      );
    } catch (error) {
      this.logger.warn({ msg: 'AI tokens could not be counted', reason: reasonOf(error) });
      throw toServiceError(error);
    }
  }
}
