export type { UpstreamStream } from './reply-body';
export { UpstreamClient } from './upstream-client';
export { type ClientOptions, UpstreamClientsService } from './upstream-clients.service';
export type { BreakerOptions, RetryRule, UpstreamOptions, UpstreamRequest } from './upstream-options';
export { parseRetryAfter, UpstreamCallError, type UpstreamFailureReason, UpstreamReply } from './upstream-reply';
export { UpstreamModule } from './upstream.module';
export { addressInUse, URL_MAX } from './public-addresses';
export { WebhookSender, type WebhookResult } from './webhook-sender';
