import { Injectable } from '@nestjs/common';
import { AppConfig } from '@platform/config';
import { SecretRedactor } from '@platform/secrets';
import {
  type UpstreamClient,
  UpstreamClientsService,
  type UpstreamReply,
  type UpstreamRequest,
} from '@platform/upstream';
import { longestCallMs } from '../../ai-values';
import {
  AiUpstream,
  type UpstreamCall,
  type UpstreamError,
  type UpstreamMessage,
  type UpstreamMessageCall,
  type UpstreamMessageStream,
} from '../../ports/ai-upstream.port';
import { providerHeaders, providerSettings } from '../../provider-keys/provider-settings';
import { ProviderOutagesService } from './provider-outages.service';
import { MessageEventStream } from './message-event-stream';
import { callFailed, refused, unanswered, unreadable } from './provider-errors';
import { usageOf } from './reply-usage';

const RETRY_PAUSE_MS = 200;
/**
 * The most that a token of an answer should take: models make 30 to 100 of them a second. A message that is not streamed is answered when its last
 * one is there.
 */
const MS_PER_TOKEN = 50;
/**
 * Upper bound of a reply's size: a token is a few bytes on average, the longest tokens are runs of spaces, and JSON may
 * escape a character as six bytes. In a stream, each token may have an event of its own.
 */
const REPLY_BYTES = { atLeast: 256 * 1024, perToken: 128, perStreamedToken: 512 };
/**
 * Upper bounds of a reply that may cite documents: the texts that it cites are no output tokens, and the same may come again and
 * again. A whole reply has to be in memory, and so has an event; a stream has not, and has no bound.
 */
const CITING_BYTES = { atLeast: 4 * 1024 * 1024, perContentByte: 8, whole: 16 * 1024 * 1024, event: 1024 * 1024 };
/** The most bytes that JSON has for a byte of a text, a byte below 128 apart, which it has in the request as well. */
const ESCAPED_BYTE = 3;
const COUNT_REPLY_BYTES = 16 * 1024;

const SYSTEM = Buffer.from(',"system":');
const MESSAGES = Buffer.from(',"messages":');
const STREAM = Buffer.from(',"stream":true');
const END = Buffer.from('}');
/** The fields that decide how many tokens a request has; the provider takes no others where it counts them. */
const COUNTED = new Set(['cache_control', 'output_config', 'thinking', 'tool_choice', 'tools']);

/** The Messages API over HTTP, retried only if nothing was sent. */
@Injectable()
export class MessagesApiAdapter extends AiUpstream {
  private readonly client: UpstreamClient;

  constructor(
    private readonly config: AppConfig,
    private readonly redactor: SecretRedactor,
    clients: UpstreamClientsService,
    outages: ProviderOutagesService,
  ) {
    super();
    this.client = clients.open({
      name: 'ai-provider',
      baseUrl: providerSettings(config).baseUrl,
      concurrency: config.AI_UPSTREAM_CONNECTIONS,
      timeoutMs: config.AI_UPSTREAM_TIMEOUT_MS,
      slowAfterMs: config.AI_UPSTREAM_SLOW_MS,
      silentAfterMs: config.AI_UPSTREAM_SILENT_MS,
      maxReplyBytes: REPLY_BYTES.atLeast,
      retries: config.AI_RETRIES,
      retryPauseMs: RETRY_PAUSE_MS,
      onDown: () => void outages.tell(),
    });
  }

  createMessage(call: UpstreamMessageCall, signal: AbortSignal): Promise<UpstreamMessage> {
    const slowAfterMs = this.config.AI_UPSTREAM_SLOW_MS + call.maxTokens * MS_PER_TOKEN;
    const bounds = { signal, slowAfterMs, maxReplyBytes: wholeReplyBytes(call) };
    return this.post(requestOf('messages', call, bodyOf(call), bounds), (reply) => {
      const usage = usageOf(reply.json());
      if (!usage) throw reply.unusable('unexpected', 'NO_USAGE');
      return { body: reply.body, usage, requestId: this.requestId(reply) };
    });
  }

  async streamMessage(call: UpstreamMessageCall, signal: AbortSignal): Promise<UpstreamMessageStream> {
    const { citations } = call.content;
    const usual = REPLY_BYTES.atLeast + call.maxTokens * REPLY_BYTES.perStreamedToken;
    const maxReplyBytes = citations ? Infinity : usual;
    const request = requestOf('messages', call, bodyOf(call, { stream: true }), {
      signal,
      maxReplyBytes,
      longestMs: longestCallMs(this.config, true),
    });
    const reply = await this.client.stream(request).catch((error: unknown) => {
      throw callFailed(this.redactor, error);
    });
    const { status, headers, content } = reply;
    if (status !== 200 || headers['content-type']?.startsWith('text/event-stream') !== true) {
      content.on('error', () => undefined);
      reply.unusable('NO_EVENT_STREAM');
      throw unreadable('NO_EVENT_STREAM');
    }
    // A citation is one event, and may be of a whole document.
    const citedBytes = citations ? Math.min(CITING_BYTES.event, bytesOf(call.content.messages) * ESCAPED_BYTE) : 0;
    return new MessageEventStream(reply, this.requestId(reply), citedBytes);
  }

  countTokens(call: UpstreamCall, signal: AbortSignal): Promise<number> {
    const options = call.content.options.filter(({ name }) => COUNTED.has(name));
    const body = bodyOf({ ...call, content: { ...call.content, options } });
    const bounds = { signal, timeoutMs: this.config.AI_COUNT_TIMEOUT_MS, maxReplyBytes: COUNT_REPLY_BYTES };
    return this.post(requestOf('messages/count_tokens', call, body, bounds), (reply) => {
      const { input_tokens: count } = reply.requireJsonObject();
      if (typeof count !== 'number' || !Number.isSafeInteger(count) || count < 0)
        throw reply.unusable('unexpected', 'NO_COUNT');
      return count;
    });
  }

  unavailable(): UpstreamError | undefined {
    const error = this.client.unavailable('messages');
    return error && unanswered(error);
  }

  private post<T>(request: UpstreamRequest, read: (reply: UpstreamReply) => T): Promise<T> {
    const accept = (reply: UpstreamReply) => {
      if (reply.status >= 400) throw refused(this.redactor, reply);
      if (reply.status !== 200) throw reply.unusable('unexpected', 'STATUS');
      return read(reply);
    };
    return this.client.call(request, accept).catch((error: unknown) => {
      throw callFailed(this.redactor, error);
    });
  }

  /** The provider's own id of the call, unless it could hold a secret. */
  private requestId({ headers }: Pick<UpstreamReply, 'headers'>): string | null {
    return this.redactor.foreignId(headers['request-id']) ?? null;
  }
}

function requestOf(
  operation: string,
  { apiKey, customerId }: UpstreamCall,
  body: Buffer[],
  bounds: Pick<UpstreamRequest, 'signal' | 'timeoutMs' | 'longestMs' | 'slowAfterMs' | 'maxReplyBytes'>,
): UpstreamRequest {
  return {
    ...bounds,
    operation,
    method: 'POST',
    path: `/v1/${operation}`,
    // No `anthropic-beta` of the caller: a beta can change the price of a call.
    headers: { 'content-type': 'application/json', ...providerHeaders(apiKey) },
    body,
    onBehalfOf: customerId,
    // If there was no connection, nothing was sent, so a retry cannot repeat the call.
    retry: 'unsent',
  };
}

/** Upper bound of the size of a reply that is not streamed. */
function wholeReplyBytes({ maxTokens, content: { citations, messages } }: UpstreamMessageCall): number {
  const usual = REPLY_BYTES.atLeast + maxTokens * REPLY_BYTES.perToken;
  if (!citations) return usual;
  const { atLeast, perContentByte, whole } = CITING_BYTES;
  return usual + Math.min(whole, atLeast + bytesOf(messages) * perContentByte);
}

function bytesOf(parts: readonly Buffer[]): number {
  return parts.reduce((sum, { length }) => sum + length, 0);
}

/** A request's JSON. The caller's own parts are inserted unparsed and uncopied, because a call may take minutes. */
function bodyOf(call: UpstreamCall & { maxTokens?: number }, { stream = false } = {}): Buffer[] {
  const { model, maxTokens, content } = call;
  const head = `{"model":${JSON.stringify(model)}${maxTokens === undefined ? '' : `,"max_tokens":${maxTokens}`}`;
  const body: Buffer[] = [Buffer.from(head)];
  if (stream) body.push(STREAM);
  // Names are those of our own lists.
  for (const { name, json } of content.options) body.push(Buffer.from(`,"${name}":`), ...json);
  if (content.system) body.push(SYSTEM, ...content.system);
  body.push(MESSAGES, ...content.messages, END);
  return body;
}
