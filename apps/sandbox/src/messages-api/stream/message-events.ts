import type { ContentBlock, Message } from '@anthropic-ai/sdk/resources/messages';
import { type Directives } from '../../shared/faults/directives';
import { serverSentEvent } from './server-sent-event';

/** Characters of a delta where nobody asks for a number of them. */
const DELTA_LENGTH = 16;

/** The events of a whole reply, in the API's order; a ping after the first, as the API sends them anywhere. */
export function messageEvents(message: Message, directives: Directives): string[] {
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

function blockEvents(block: ContentBlock, index: number, deltas: number | undefined): string[] {
  const { content_block, pieces, delta } = inPieces(block, deltas);
  return [
    serverSentEvent('content_block_start', { type: 'content_block_start', index, content_block }),
    ...pieces.map((piece) =>
      serverSentEvent('content_block_delta', { type: 'content_block_delta', index, delta: delta(piece) }),
    ),
    serverSentEvent('content_block_stop', { type: 'content_block_stop', index }),
  ];
}

function inPieces(block: ContentBlock, deltas: number | undefined) {
  if (block.type === 'tool_use')
    return {
      content_block: { ...block, input: {} },
      pieces: ['', ...split(JSON.stringify(block.input), deltas)],
      delta: (partial_json: string) => ({ type: 'input_json_delta', partial_json }),
    };
  const text = block.type === 'text' ? block.text : '';
  return {
    content_block: { type: 'text', text: '' },
    pieces: split(text, deltas),
    delta: (piece: string) => ({ type: 'text_delta', text: piece }),
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
