import { Injectable } from '@nestjs/common';
import { AppConfig } from '@platform/config';
import { foreignId, SecretRedactor } from '@platform/secrets';
import {
  UpstreamCallError,
  type UpstreamClient,
  UpstreamClientsService,
  type UpstreamReply,
  type UpstreamRequest,
} from '@platform/upstream';
import {
  AiUpstream,
  type UpstreamCall,
  type UpstreamMessage,
  type UpstreamMessageStream,
} from '../../ports/ai-upstream.port';
import { MessageEventStream } from './event-stream/message-event-stream';
import { unanswered, unreadable } from './unanswered';
import { refusal } from './refusals';
import { bodyOf, countBodyOf } from './request-body';
import { usageOf } from './reply-usage';
import { upstreamSettings } from './upstream-settings';

const API_VERSION = '2023-06-01';
const RETRY_PAUSE_MS = 200;
/**
 * Upper bound of a reply's size: a token is a few bytes on average, the longest tokens are runs of spaces, and JSON may
 * escape a character as six bytes. In a stream, each token may have an event of its own.
 */
const REPLY_BYTES = { atLeast: 256 * 1024, perToken: 128, perStreamedToken: 512 };
const COUNT_REPLY_BYTES = 16 * 1024;

interface Bounds {
  signal: AbortSignal;
  timeoutMs?: number;
  maxReplyBytes: number;
}

/** The Messages API over HTTP, retried only if nothing was sent. */
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
    const maxReplyBytes = REPLY_BYTES.atLeast + call.maxTokens * REPLY_BYTES.perToken;
    return this.post(requestOf('messages', call, bodyOf(call), { signal, maxReplyBytes }), (reply) => {
      const usage = usageOf(reply.json());
      if (!usage) throw reply.unusable('unexpected', 'NO_USAGE');
      return { body: reply.body, usage, requestId: foreignId(this.redactor, reply.headers['request-id']) ?? null };
    });
  }

  async streamMessage(call: UpstreamCall & { maxTokens: number }, signal: AbortSignal): Promise<UpstreamMessageStream> {
    const maxReplyBytes = REPLY_BYTES.atLeast + call.maxTokens * REPLY_BYTES.perStreamedToken;
    const request = requestOf('messages', call, bodyOf({ ...call, stream: true }), { signal, maxReplyBytes });
    const { status, headers, content } = await this.client.stream(request).catch((error: unknown) => {
      throw this.explained(error);
    });
    if (status !== 200 || headers['content-type']?.startsWith('text/event-stream') !== true) {
      content.on('error', () => undefined).destroy();
      throw unreadable('NO_EVENT_STREAM');
    }
    return new MessageEventStream(content, foreignId(this.redactor, headers['request-id']) ?? null);
  }

  countTokens(call: UpstreamCall, signal: AbortSignal): Promise<number> {
    const bounds = { signal, timeoutMs: this.config.AI_COUNT_TIMEOUT_MS, maxReplyBytes: COUNT_REPLY_BYTES };
    return this.post(requestOf('messages/count_tokens', call, countBodyOf(call), bounds), (reply) => {
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

  private post<T>(request: UpstreamRequest, read: (reply: UpstreamReply) => T): Promise<T> {
    const accept = (reply: UpstreamReply) => {
      if (reply.status >= 400) throw refusal(this.redactor, reply);
      if (reply.status !== 200) throw reply.unusable('unexpected', 'STATUS');
      return read(reply);
    };
    return this.client.call(request, accept).catch((error: unknown) => {
      throw this.explained(error);
    });
  }

  private explained(error: unknown): unknown {
    if (!(error instanceof UpstreamCallError)) return error;
    return error.reply && error.reply.status >= 400 ? refusal(this.redactor, error.reply) : unanswered(error);
  }
}

function requestOf(operation: string, call: UpstreamCall, body: Buffer[], bounds: Bounds): UpstreamRequest {
  return {
    ...bounds,
    operation,
    method: 'POST',
    path: `/v1/${operation}`,
    headers: { 'content-type': 'application/json', 'anthropic-version': API_VERSION, 'x-api-key': call.apiKey },
    body,
    onBehalfOf: call.customerId,
    // If there was no connection, nothing was sent, so a retry cannot repeat the call.
    retry: 'unsent',
  };
}
