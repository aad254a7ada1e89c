export { type UpstreamStream } from './call/body-stream';
export { parseRetryAfter } from './retry-after';
export { type ReceivedReply, UpstreamCallError, type UpstreamFailureReason } from './upstream-call-error';
export { UpstreamClient } from './upstream-client';
export { type ClientOptions, UpstreamClientsService } from './upstream-clients.service';
export type { BreakerOptions, RetryRule, UpstreamOptions, UpstreamRequest } from './upstream-options';
export { UpstreamModule } from './upstream.module';
export { UpstreamReply } from './wire/upstream-reply';
