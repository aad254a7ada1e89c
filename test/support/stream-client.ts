import { setTimeout as delay } from 'node:timers/promises';

/** How a stream is read, and what the provider does with it. */
export const STREAM_KINDS = ['read', 'slow', 'hang-up', 'cut', 'close', 'error'] as const;
export type StreamKind = (typeof STREAM_KINDS)[number];

/** What the provider is told, in the text of the message. */
const DIRECTIVES: Record<StreamKind, string> = {
  read: '',
  slow: '',
  'hang-up': '',
  cut: '[[sandbox:stream-cut=5]]',
  close: '[[sandbox:stream-close=6]]',
  error: '[[sandbox:stream-error=overloaded_error]]',
};

/** A stream to open. */
export interface StreamPlan {
  kind: StreamKind;
  requestId: string;
  outputTokens: number;
  pauseMs: number;
}

/** What its client saw: the last event, an error event, a refusal, or the end of the connection. */
export interface StreamEnd {
  end: 'stop' | 'error' | 'refused' | 'gone';
  /** What the error event or the refusal said. */
  said?: string;
}

/** Opens a stream and reads it as planned. */
export async function readStream(baseUrl: string, token: string, plan: StreamPlan): Promise<StreamEnd> {
  const { kind, requestId, outputTokens, pauseMs } = plan;
  const content = `[[sandbox:output-tokens=${outputTokens}]][[sandbox:events=6]][[sandbox:event-delay=${pauseMs}]]${DIRECTIVES[kind]}`;
  const controller = new AbortController();
  let seen = '';
  try {
    const reply = await fetch(`${baseUrl}/ai/v1/messages`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', 'x-request-id': requestId },
      body: JSON.stringify({ messages: [{ role: 'user', content }], max_tokens: 100, stream: true }),
      signal: controller.signal,
    });
    if (!reply.ok || !reply.body) return { end: 'refused', said: await reply.text() };
    for await (const piece of reply.body) {
      seen += Buffer.from(piece).toString();
      if (kind === 'hang-up' && seen.length > 300) controller.abort();
      if (kind === 'slow') await delay(pauseMs);
    }
  } catch {
    return { end: 'gone' };
  }
  if (seen.includes('event: message_stop')) return { end: 'stop' };
  const error = seen.indexOf('event: error');
  return error < 0 ? { end: 'gone' } : { end: 'error', said: seen.slice(error) };
}
