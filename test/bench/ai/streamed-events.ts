/** In a message that is to be answered slowly. */
export const SLOW_TEXT = 'take your time';

const EVENTS = 50;
const USAGE = { input_tokens: 12, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };

/** The events of one message, as the Messages API sends them. */
export function streamedEvents(): string[] {
  const message = {
    id: 'msg_bench',
    type: 'message',
    role: 'assistant',
    model: 'bench',
    content: [],
    stop_reason: null,
  };
  const deltas = Array.from({ length: EVENTS - 5 }, () => ({
    type: 'content_block_delta',
    index: 0,
    delta: { type: 'text_delta', text: 'Some words. ' },
  }));
  return [
    { type: 'message_start', message: { ...message, stop_sequence: null, usage: { ...USAGE, output_tokens: 1 } } },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    ...deltas,
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: { output_tokens: 60 } },
    { type: 'message_stop' },
  ].map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
}
