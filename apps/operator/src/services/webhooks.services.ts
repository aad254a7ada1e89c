import { WebhooksOperatorModule, WebhooksOperatorService } from '@domains/events';

export const modules = [WebhooksOperatorModule];
export const services = { webhooks: WebhooksOperatorService };
