import { AiOperatorModule, ProviderKeysOperatorService } from '@domains/ai';
import { WebhooksOperatorModule, WebhookSecretsOperatorService } from '@domains/events';

export const modules = [AiOperatorModule, WebhooksOperatorModule];
export const services = { keys: ProviderKeysOperatorService, webhooks: WebhookSecretsOperatorService };
