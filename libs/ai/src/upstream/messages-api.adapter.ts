import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Pool } from 'undici';
import { AppConfig } from '@app/config';
import { foreignId, SecretRedactor } from '@app/secrets';
import { AiUpstream, type UpstreamCall, type UpstreamMessage } from './ai-upstream';
import { CircuitBreaker } from './circuit-breaker';
import { connectionFault, isUnsent } from './connection-fault';
import { refusal } from './refusals';
import { usageOf } from './reply-usage';
import { UpstreamError } from './upstream-error';
import { upstreamSettings } from './upstream-settings';

const API_VERSION = '2023-06-01';
const LARGEST_REPLY_BYTES = 64 * 1024 * 1024;
const RETRY_DELAY_MS = 100;

interface RawReply {
  status: number;
  body: Buffer;
  requestId?: string;
  retryAfter?: string;
}

/** The Messages API over HTTP (design §8): non-streaming, one pool of connections, no retry once anything was sent. */
@Injectable()
export class MessagesApiAdapter extends AiUpstream {
  private readonly pool: Pool;
  private readonly base: string;
  private readonly breaker: CircuitBreaker;

  constructor(
    private readonly config: AppConfig,
    private readonly redactor: SecretRedactor,
  ) {
    super();
    const { origin, pathname } = new URL(upstreamSettings(config).baseUrl);
    this.base = pathname.replace(/\/$/, '');
    this.breaker = new CircuitBreaker({ failures: config.AI_BREAKER_FAILURES, resetMs: config.AI_BREAKER_RESET_MS });
    this.pool = new Pool(origin, {
      connections: config.AI_UPSTREAM_CONNECTIONS,
      allowH2: false,
      // A call's time is limited as a whole, by its signal.
      headersTimeout: 0,
      bodyTimeout: 0,
      maxResponseSize: LARGEST_REPLY_BYTES,
      connect: { timeout: config.AI_UPSTREAM_CONNECT_TIMEOUT_MS },
    });
  }

  async createMessage(call: UpstreamCall & { maxTokens: number }, signal: AbortSignal): Promise<UpstreamMessage> {
    const { status, body, requestId, retryAfter } = await this.post('/v1/messages', call, signal);
    if (status !== 200) throw refusal(this.redactor, status, body, { requestId, retryAfter });
    return { body, usage: usageOf(body), requestId: foreignId(this.redactor, requestId) ?? null };
  }

  async countTokens(call: UpstreamCall, signal: AbortSignal): Promise<number> {
    const { status, body, requestId } = await this.post('/v1/messages/count_tokens', call, signal);
    if (status !== 200) throw refusal(this.redactor, status, body, { requestId });
    const { input_tokens: count } = JSON.parse(body.toString()) as { input_tokens?: unknown };
    if (typeof count !== 'number' || !Number.isInteger(count) || count < 0)
      throw new Error('upstream counted no tokens');
    return count;
  }

  close(): Promise<void> {
    return this.pool.destroy();
  }

  private async post(
    path: string,
    call: UpstreamCall & { maxTokens?: number },
    signal: AbortSignal,
  ): Promise<RawReply> {
    if (!this.breaker.admit()) throw unavailable();
    try {
      const reply = await this.send(path, call, signal);
      if (reply.status >= 500) this.breaker.failed();
      else this.breaker.succeeded();
      return reply;
    } catch (error) {
      const fault = connectionFault(error, signal);
      if (fault.fault.down) this.breaker.failed();
      throw fault;
    }
  }

  private async send(
    path: string,
    call: UpstreamCall & { maxTokens?: number },
    signal: AbortSignal,
  ): Promise<RawReply> {
    const request = {
      method: 'POST' as const,
      path: this.base + path,
      headers: { 'content-type': 'application/json', 'anthropic-version': API_VERSION, 'x-api-key': call.apiKey },
      body: bodyOf(call),
      signal,
    };
    for (let attempt = 1; ; attempt++) {
      try {
        const { statusCode, headers, body } = await this.pool.request(request);
        const bytes = Buffer.from(await body.arrayBuffer());
        return {
          status: statusCode,
          body: bytes,
          requestId: textOf(headers['request-id']),
          retryAfter: textOf(headers['retry-after']),
        };
      } catch (error) {
        // Without a connection nothing was sent, so nothing can be done twice.
        if (attempt > this.config.AI_RETRIES || !isUnsent(error) || signal.aborted) throw error;
        await delay(RETRY_DELAY_MS * 2 ** attempt, undefined, { signal });
      }
    }
  }
}

/** The request's JSON, with the caller's own parts spliced in unread. */
function bodyOf({ model, maxTokens, system, messages }: UpstreamCall & { maxTokens?: number }): Buffer {
  const head = `{"model":${JSON.stringify(model)}${maxTokens === undefined ? '' : `,"max_tokens":${maxTokens}`}`;
  const parts = [Buffer.from(head), ...(system ? [SYSTEM, system] : []), MESSAGES, messages, END];
  return Buffer.concat(parts);
}

const SYSTEM = Buffer.from(',"system":');
const MESSAGES = Buffer.from(',"messages":');
const END = Buffer.from('}');

function textOf(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header[0] : header;
}

function unavailable(): UpstreamError {
  return new UpstreamError({
    code: 'ai_upstream_failed',
    reason: 'upstream is down (circuit open)',
    detail: 'The AI provider is not available at present. You were not charged; try again later',
    down: false,
    retryAfterSeconds: 5,
  });
}
