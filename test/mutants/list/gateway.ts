import type { Mutant } from '../mutant';

const GATEWAY = 'libs/domains/ai/src/customer/messages/ai-messages.service.ts';
const ADAPTER = 'libs/domains/ai/src/adapters/messages-api/messages-api.adapter.ts';
const BODY = 'libs/domains/ai/src/adapters/messages-api/request-body.ts';
const RESERVATION = 'libs/domains/ai/src/customer/messages/call-reservation.service.ts';
const FAILED = 'libs/domains/ai/src/customer/messages/failed-calls.service.ts';
const MESSAGE_JUDGE = 'libs/domains/ai/src/customer/message-request/message-judge.ts';
const USAGE = 'libs/domains/ai/src/adapters/messages-api/reply-usage.ts';
const REFUSALS = 'libs/domains/ai/src/adapters/messages-api/refusals.ts';
const CONTRACT = ['test/contract/ai-gateway'];
const FAULTS = ['test/e2e/ai-provider-faults'];
const CHARGING = ['test/e2e/ai-charging'];

/** The AI gateway: the provider's replies and faults, reservation and settlement. */
export const gateway: Mutant[] = [
  {
    name: 'gateway: refusals of the provider count as failures of it',
    file: ADAPTER,
    find: 'if (reply.status >= 400) throw refusal(this.redactor, reply);',
    replace: "if (reply.status >= 400) throw reply.unusable('unexpected', 'REFUSED');",
    specs: [...FAULTS, ...CONTRACT],
  },
  {
    name: 'gateway: a reply without usage is free',
    file: ADAPTER,
    find: "if (!usage) throw reply.unusable('unexpected', 'NO_USAGE');",
    replace:
      'if (!usage) return { body: reply.body, usage: { input: 0, cacheWrite5m: 0, cacheWrite1h: 0, cacheRead: 0, output: 0 }, requestId: null };',
    specs: CONTRACT,
  },
  {
    name: "gateway: the customer's own model goes to the provider",
    file: BODY,
    find: '{"model":${JSON.stringify(model)}',
    replace: '{"model":"claude-other"',
    specs: CONTRACT,
  },
  {
    name: 'gateway: the system prompt is dropped',
    file: BODY,
    find: '...(system ? [SYSTEM, ...system] : []),',
    replace: '',
    specs: CONTRACT,
  },
  {
    name: 'gateway: cache writes of an hour cost as those of five minutes',
    file: USAGE,
    find: 'usage.cache_creation?.ephemeral_1h_input_tokens ?? 0',
    replace: '0',
    specs: CHARGING,
  },
  {
    name: 'gateway: cache writes without a split are free',
    file: USAGE,
    find: 'known5m + Math.max(0, written - known5m - cacheWrite1h)',
    replace: 'known5m',
    specs: CHARGING,
  },
  {
    name: 'gateway: cache writes with a split are counted twice',
    file: USAGE,
    find: 'Math.max(0, written - known5m - cacheWrite1h)',
    replace: 'written',
    specs: CHARGING,
  },
  {
    name: 'gateway: cache reads are free',
    file: USAGE,
    find: 'usage.cache_read_input_tokens ?? 0',
    replace: '0',
    specs: CHARGING,
  },
  {
    name: 'gateway: a settlement is not tried again',
    file: 'libs/platform/database/src/writes/retry-transient.ts',
    find: '=> isTransientFailure(error) &&',
    replace: '=> !isTransientFailure(error) &&',
    specs: CHARGING,
  },
  {
    name: 'gateway: the limit of the output is not applied',
    file: GATEWAY,
    find: 'request, this.config.AI_OUTPUT_TOKENS_LIMIT)',
    replace: 'request, Infinity)',
    specs: CONTRACT,
  },
  {
    name: "gateway: the provider's count is taken without a margin",
    file: RESERVATION,
    find: '{ factor: 1.05, tokens: 100 }',
    replace: '{ factor: 1, tokens: 0 }',
    specs: CONTRACT,
  },
  {
    name: 'gateway: a closer count is never asked for',
    file: RESERVATION,
    find: "if (result.outcome === 'too_large') {",
    replace: "if (result.outcome === 'too_large' && request.inputTokens < 0) {",
    specs: CONTRACT,
  },
  {
    name: 'gateway: calls of disconnected clients are not waited for',
    file: GATEWAY,
    find: 'this.calls.track(this.charged(call, request, form))',
    replace: 'this.charged(call, request, form)',
    specs: CONTRACT,
  },
  {
    name: "gateway: the provider's 402 is the customer's",
    file: REFUSALS,
    find: "code: rejected ? 'ai_upstream_rejected' : 'ai_upstream_failed',",
    replace: "code: status === 402 ? 'credit_exhausted' : rejected ? 'ai_upstream_rejected' : 'ai_upstream_failed',",
    specs: ['test/e2e/ai-messages', ...CONTRACT],
  },
  {
    name: "gateway: what the provider says of the operator's account is passed on",
    file: REFUSALS,
    find: ' && !OPERATOR_ACCOUNT_TERMS.test(said as string)',
    replace: '',
    specs: CONTRACT,
  },
  {
    name: 'gateway: every 4xx is passed on with the provider’s text',
    file: REFUSALS,
    find: '(status === 400 || status === 413)',
    replace: 'status < 500',
    specs: ['test/e2e/ai-messages', ...CONTRACT],
  },
  {
    name: 'gateway: a breaker lets all try at once',
    file: 'libs/platform/upstream/src/circuit/circuit.ts',
    find: 'if (!this.mayTry) return undefined;',
    replace: 'if (Date.now() - this.openedAt < this.options.resetMs) return undefined;',
    specs: [...FAULTS, 'libs/platform/upstream/src/circuit'],
  },
  {
    name: 'gateway: a breaker never opens',
    file: 'libs/platform/upstream/src/circuit/failure-window.ts',
    find: 'return counted >= failures && ',
    replace: 'return counted > failures * 1000 && ',
    specs: [...FAULTS, 'libs/platform/upstream/src/circuit'],
  },
  {
    name: 'gateway: one customer alone opens the breaker',
    file: 'libs/platform/upstream/src/circuit/failure-window.ts',
    find: 'counted += Math.min(count, this.mostPerCaller)',
    replace: 'counted += count',
    specs: ['libs/platform/upstream/src/circuit', ...CONTRACT],
  },
  {
    name: 'gateway: what went well counts as a failure',
    file: 'libs/platform/upstream/src/circuit/circuit.ts',
    find: 'if (!told) this.window.succeeded();',
    replace: 'if (!told) this.window.failed();',
    specs: [...FAULTS, 'libs/platform/upstream/src/circuit'],
  },
  {
    name: 'gateway: while the provider is down credit is reserved',
    file: GATEWAY,
    find: 'if (down) return Promise.reject(down.toServiceError());',
    replace: '',
    specs: CONTRACT,
  },
  {
    name: 'gateway: a file of the workspace may be referred to',
    file: 'libs/domains/ai/src/customer/message-request/message-request-reader.ts',
    find: 'if (survey.foreignFile !== undefined)',
    replace: 'if (survey.foreignFile === "")',
    specs: ['libs/domains/ai/src/customer/message-request', 'test/e2e/ai-messages'],
  },
  {
    name: 'gateway: an unknown role is passed on',
    file: MESSAGE_JUDGE,
    find: 'if (!ROLES.has(frame.role))',
    replace: 'if (frame.role === undefined)',
    specs: ['libs/domains/ai/src/customer/message-request', 'test/e2e/ai-messages'],
  },
  {
    name: 'gateway: a failed call is answered before its credit is released',
    file: FAILED,
    find: 'await this.resolution.release(',
    replace: 'void this.resolution.release(',
    specs: CONTRACT,
  },
  {
    name: 'gateway: a message is answered before it is charged',
    file: GATEWAY,
    find: 'await this.resolution.settle(',
    replace: 'void this.resolution.settle(',
    specs: CHARGING,
  },
  {
    name: 'gateway: switching AI on is not announced',
    file: 'libs/domains/ai/src/operator/ai-configuration-operator.service.ts',
    find: 'if (enabled !== undefined) await announceTokenChange(manager, customerId);',
    replace: '',
    specs: ['test/e2e/remembered-tokens'],
  },
];
