import type { ContentBlock, Message } from '@anthropic-ai/sdk/resources/messages';
import type { Answer, StreamScript } from '../shared/answer';
import type { Directives } from '../shared/faults/directives';

/** Characters of a delta unless a directive gives a number. */
const DELTA_LENGTH = 16;

/** Directives about how a streamed reply comes, and how it fails. */
export const STREAM_DIRECTIVES = [
  'events',
  'event-delay',
  'stream-cut',
  'stream-close',
  'stream-hang',
  'stream-error',
  'stream-usage',
  'stream-unknown',
] as const;

const FAILURES = { 'stream-cut': 'cut', 'stream-close': 'end', 'stream-hang': 'hang' } as const;

/** The reply to a request with `stream: true`. */
export function streamedMessage(message: Message, directives: Directives, headers: Record<string, string>): Answer {
  const stream = streamScript(messageEvents(message, directives), directives);
  return {
    status: 200,
    headers: { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache', ...headers },
    body: stream.events.join(''),
    stream,
  };
}

/** The events of a whole reply, in the API's order; a ping after the first, as the API sends them anywhere. */
function messageEvents(message: Message, directives: Directives): string[] {
  const { content, usage, stop_reason, stop_sequence, stop_details } = message;
  const empty = { ...message, content: [], stop_reason: null, stop_details: null };
  const start = { type: 'message_start', message: { ...empty, usage: { ...usage, output_tokens: 1 } } };
  const end = {
    type: 'message_delta',
    delta: { stop_reason, stop_sequence, stop_details, container: null },
    usage: { ...finalUsage(usage), ...directives.json('stream-usage') },
  };
  return [
    serverSentEvent('message_start', start),
    serverSentEvent('ping', { type: 'ping' }),
    ...content.flatMap((block, index) => blockEvents(block, index, directives.number('events'))),
    ...(directives.has('stream-unknown') ? [serverSentEvent('sandbox_news', { type: 'sandbox_news' })] : []),
    serverSentEvent('message_delta', end),
    serverSentEvent('message_stop', { type: 'message_stop' }),
  ];
}

function finalUsage({
  input_tokens,
  cache_creation_input_tokens,
  cache_read_input_tokens,
  output_tokens,
  server_tool_use,
}: Message['usage']) {
  return { input_tokens, cache_creation_input_tokens, cache_read_input_tokens, output_tokens, server_tool_use };
}

function blockEvents(block: ContentBlock, index: number, count: number | undefined): string[] {
  const { content_block, deltas } = inPieces(block, count);
  return [
    serverSentEvent('content_block_start', { type: 'content_block_start', index, content_block }),
    ...deltas.map((delta) => serverSentEvent('content_block_delta', { type: 'content_block_delta', index, delta })),
    serverSentEvent('content_block_stop', { type: 'content_block_stop', index }),
  ];
}

/** A block as it begins, and its additions. */
function inPieces(block: ContentBlock, count: number | undefined): { content_block: object; deltas: object[] } {
  if (block.type === 'tool_use') {
    const pieces = ['', ...split(JSON.stringify(block.input), count)];
    const deltas = pieces.map((partial_json) => ({ type: 'input_json_delta', partial_json }));
    return { content_block: { ...block, input: {} }, deltas };
  }
  if (block.type === 'thinking') {
    const thoughts = split(block.thinking, count).map((thinking) => ({ type: 'thinking_delta', thinking }));
    const deltas = [...thoughts, { type: 'signature_delta', signature: block.signature }];
    return { content_block: { ...block, thinking: '', signature: '' }, deltas };
  }
  const { text, citations } = block.type === 'text' ? block : { text: '', citations: null };
  return {
    content_block: { type: 'text', text: '', ...(citations && { citations: [] }) },
    deltas: [
      ...split(text, count).map((piece) => ({ type: 'text_delta', text: piece })),
      ...(citations ?? []).map((citation) => ({ type: 'citations_delta', citation })),
    ],
  };
}

/** In whole characters: a delta is a text of its own. */
function split(text: string, deltas: number | undefined): string[] {
  const characters = Array.from(text);
  const length = deltas ? Math.max(1, Math.ceil(characters.length / deltas)) : DELTA_LENGTH;
  return Array.from({ length: Math.ceil(characters.length / length) }, (_, index) =>
    characters.slice(index * length, (index + 1) * length).join(''),
  );
}

/** How the events of a whole reply are sent, and where they stop. */
function streamScript(events: string[], directives: Directives): StreamScript {
  const pauseMs = directives.number('event-delay') ?? 0;
  for (const [name, ending] of Object.entries(FAILURES)) {
    const after = directives.number(name);
    if (after !== undefined) return { events: events.slice(0, after), pauseMs, ending };
  }
  const type = directives.text('stream-error');
  if (type === undefined) return { events, pauseMs, ending: 'end' };
  const error = serverSentEvent('error', { type: 'error', error: { type, message: 'The sandbox failed' } });
  return { events: [...events.slice(0, Math.ceil(events.length / 2)), error], pauseMs, ending: 'end' };
}

/** An event as it goes over the wire. */
function serverSentEvent(name: string, data: object): string {
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}
