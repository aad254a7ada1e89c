import { EventEmitter, once } from 'node:events';
import { type IncomingMessage, request as httpRequest } from 'node:http';

/** A request for an AI message with an Idempotency-Key. */
export interface KeyedMessage {
  path: '/ai/messages' | '/ai/v1/messages';
  stream: boolean;
  token: string;
  key: string;
  /** The text of the message; may have directives for the sandbox. */
  content: string;
  maxTokens?: number;
}

/** A reply, as far as it came. */
export interface MessageReply {
  status?: number;
  usageId?: string;
  replayed: boolean;
  body: Buffer;
  /** Whether it came to its end. */
  whole: boolean;
}

/** A request on a connection of its own, whose reply can be watched while it comes, and lost. */
export interface SentMessage {
  reply: MessageReply;
  /** Resolves when the reply has come so far, or the connection has ended. */
  until(isThere: (reply: MessageReply) => boolean): Promise<void>;
  /** Closes the connection. */
  lose(): void;
  /** Resolves when the connection has ended. */
  ended: Promise<MessageReply>;
}

/** Sends the request. */
export function sendKeyed(
  baseUrl: string,
  { path, stream, token, key, content, maxTokens = 100 }: KeyedMessage,
): SentMessage {
  const progress = new EventEmitter();
  const reply: MessageReply = { replayed: false, body: Buffer.alloc(0), whole: false };
  const body = JSON.stringify({
    messages: [{ role: 'user', content }],
    max_tokens: maxTokens,
    ...(stream && { stream }),
  });
  const request = httpRequest(`${baseUrl}${path}`, {
    method: 'POST',
    agent: false,
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      'idempotency-key': key,
    },
  });
  let over = false;
  const ended = new Promise<MessageReply>((resolve) =>
    progress.once('ended', () => {
      over = true;
      resolve(reply);
    }),
  );
  const end = () => progress.emit('ended');
  request.once('response', (response: IncomingMessage) => {
    const { headers, statusCode } = response;
    reply.status = statusCode;
    reply.usageId = headers['x-ai-usage-id'] as string | undefined;
    reply.replayed = headers['idempotency-replayed'] === 'true';
    response.on('data', (piece: Buffer) => {
      reply.body = Buffer.concat([reply.body, piece]);
      progress.emit('progress');
    });
    response.once('end', () => {
      reply.whole = response.complete;
      progress.emit('progress');
    });
    response.once('error', () => undefined);
    response.once('close', end);
    progress.emit('progress');
  });
  request.once('error', end);
  request.once('close', end);
  request.end(body);
  return {
    reply,
    ended,
    lose: () => void request.destroy(),
    until: async (isThere) => {
      while (!over && !isThere(reply)) await Promise.race([once(progress, 'progress'), ended]);
    },
  };
}

/** Sends the request, and reads the reply. */
export function askKeyed(baseUrl: string, message: KeyedMessage): Promise<MessageReply> {
  return sendKeyed(baseUrl, message).ended;
}

/** Number of whole events in a stream so far. */
export function eventsIn({ body }: MessageReply): number {
  return body.toString().split('\n\n').length - 1;
}
