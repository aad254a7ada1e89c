import { Injectable } from '@nestjs/common';
import type { UpstreamCall } from '../../ports/ai-upstream.port';
import { ProviderKeysService } from '../../provider-keys/provider-keys.service';
import type { MessageRequest } from '../message-request/message-request';

/** What a customer's calls are made with. */
export interface CallConfiguration {
  model: string;
  /** The customer's own provider key, encrypted; null: the service-wide one. */
  keyCiphertext: Buffer | null;
}

/** Makes calls of the provider from requests. */
@Injectable()
export class UpstreamCallsService {
  constructor(private readonly keys: ProviderKeysService) {}

  /** The call for a request. @throws SecretUnreadableError */
  of(
    customerId: string,
    { messages, system, options }: MessageRequest,
    { model, keyCiphertext }: CallConfiguration,
  ): UpstreamCall {
    const apiKey = this.keys.keyFor(customerId, keyCiphertext);
    return { customerId, apiKey, model, messages, ...(system && { system }), options };
  }
}
