import { createServer } from 'node:http';

/** A Messages API that answers at once and always the same, so that only the gateway in front of it is measured. */
const REPLY = Buffer.from(
  JSON.stringify({
    id: 'msg_bench',
    type: 'message',
    role: 'assistant',
    model: 'bench',
    content: [{ type: 'text', text: 'Hello! How can I help you today?' }],
    stop_reason: 'end_turn',
    stop_sequence: null,
    usage: { input_tokens: 12, output_tokens: 9, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 },
  }),
);
const HEADERS = { 'content-type': 'application/json', 'content-length': REPLY.length, 'request-id': 'req_bench' };

createServer((request, response) => {
  request.resume().once('end', () => response.writeHead(200, HEADERS).end(REPLY));
}).listen(Number(process.env.PORT), '127.0.0.1', () => process.send?.('ready'));
