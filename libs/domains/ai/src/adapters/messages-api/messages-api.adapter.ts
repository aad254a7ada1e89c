import { Injectable } from '@nestjs/common';
import { AppConfig } from '@platform/config';
import { foreignId, SecretRedactor } from '@platform/secrets';
import { UpstreamCallError, type UpstreamClient, UpstreamClientsService, type UpstreamReply } from '@platform/upstream';
import { AiUpstream, type UpstreamCall, type UpstreamMessage } from '../../ports/ai-upstream.port';
import { unanswered } from './unanswered';
import { refusal } from './refusals';
import { usageOf } from './reply-usage';
import { upstreamSettings } from './upstream-settings';

const API_VERSION = '2023-06-01';
const RETRY_PAUSE_MS = 200;
/**
 * Upper bound of a reply's size: a token is a few bytes on average, the longest tokens are runs of spaces, and JSON may
 * escape a character as six bytes.
 */
const REPLY_BYTES = { atLeast: 256 * 1024, perToken: 128 };
const COUNT_REPLY_BYTES = 16 * 1024;

type Request = UpstreamCall & { maxTokens?: number };

/** The Messages API over HTTP: not streaming, retried only if nothing was sent. */
@Injectable()
export class MessagesApiAdapter extends AiUpstream {
  private readonly client: UpstreamClient;

  constructor(
    private readonly config: AppConfig,
    private readonly redactor: SecretRedactor,
    clients: UpstreamClientsService,
  ) {
    super();
    this.client = clients.open({
      name: 'ai-provider',
      baseUrl: upstreamSettings(config).baseUrl,
      concurrency: config.AI_UPSTREAM_CONNECTIONS,
      timeoutMs: config.AI_UPSTREAM_TIMEOUT_MS,
      slowAfterMs: config.AI_UPSTREAM_SLOW_MS,
      maxReplyBytes: REPLY_BYTES.atLeast,
      retries: config.AI_RETRIES,
      retryPauseMs: RETRY_PAUSE_MS,
    });
  }

  createMessage(call: UpstreamCall & { maxTokens: number }, signal: AbortSignal): Promise<UpstreamMessage> {
    const bounds = { maxReplyBytes: REPLY_BYTES.atLeast + call.maxTokens * REPLY_BYTES.perToken };
    return this.post('messages', call, { signal, ...bounds }, (reply) => {
      const usage = usageOf(reply.json());
      if (!usage) throw reply.unusable('unexpected', 'NO_USAGE');
      return { body: reply.body, usage, requestId: foreignId(this.redactor, reply.headers['request-id']) ?? null };
    });
  }

  countTokens(call: UpstreamCall, signal: AbortSignal): Promise<number> {
    const bounds = { timeoutMs: this.config.AI_COUNT_TIMEOUT_MS, maxReplyBytes: COUNT_REPLY_BYTES };
    return this.post('messages/count_tokens', call, { signal, ...bounds }, (reply) => {
      const { input_tokens: count } = reply.requireJsonObject();
      if (typeof count !== 'number' || !Number.isSafeInteger(count) || count < 0)
        throw reply.unusable('unexpected', 'NO_COUNT');
      return count;
    });
  }

  unavailable() {
    const error = this.client.unavailable('messages');
    return error && unanswered(error);
  }

  private async post<T>(
    operation: string,
    call: Request,
    bounds: { signal: AbortSignal; timeoutMs?: number; maxReplyBytes: number },
    read: (reply: UpstreamReply) => T,
  ): Promise<T> {
    const request = {
      ...bounds,
      operation,
      method: 'POST',
      path: `/v1/${operation}`,
      headers: { 'content-type': 'application/json', 'anthropic-version': API_VERSION, 'x-api-key': call.apiKey },
      body: bodyOf(call),
      onBehalfOf: call.customerId,
      // If there was no connection, nothing was sent, so a retry cannot repeat the call.
      retry: 'unsent',
    } as const;
    try {
      return await this.client.call(request, (reply) => {
        if (reply.status >= 400) throw refusal(this.redactor, reply);
        if (reply.status !== 200) throw reply.unusable('unexpected', 'STATUS');
        return read(reply);
      });
    } catch (error) {
      throw error instanceof UpstreamCallError ? unanswered(error) : error;
    }
  }
}

/** The request's JSON. The caller's own parts are inserted unparsed and uncopied, because a call may take minutes. */
function bodyOf({ model, maxTokens, system, messages }: Request): Buffer[] {
  const head = `{"model":${JSON.stringify(model)}${maxTokens === undefined ? '' : `,"max_tokens":${maxTokens}`}`;
  return [Buffer.from(head), ...(system ? [SYSTEM, ...system] : []), MESSAGES, ...messages, END];
}

const SYSTEM = Buffer.from(',"system":');
const MESSAGES = Buffer.from(',"messages":');
const END = Buffer.from('}');
