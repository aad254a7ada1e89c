import { createServer, type ServerResponse } from 'node:http';
import { SLOW_TEXT, streamedEvents } from './streamed-events';

/**
 * A Messages API that answers at once and always the same, so that only the gateway in front of it is measured: a message, or
 * the events of one. Asked for a slow stream, it sends an event every quarter of a second.
 */
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
const STREAM_HEADERS = { 'content-type': 'text/event-stream; charset=utf-8', 'request-id': 'req_bench' };
const SLOW_EVENT_MS = 250;
const EVENTS = streamedEvents();

createServer((request, response) => {
  let body = '';
  request.on('data', (chunk: Buffer) => (body += chunk.toString('latin1')));
  request.on('end', () => answer(body, response));
}).listen(Number(process.env.PORT), '127.0.0.1', () => process.send?.('ready'));

function answer(body: string, response: ServerResponse): void {
  if (!body.includes('"stream":true')) return void response.writeHead(200, HEADERS).end(REPLY);
  response.writeHead(200, STREAM_HEADERS);
  if (body.includes(SLOW_TEXT)) return sendSlowly(response, [...EVENTS]);
  for (const event of EVENTS) response.write(event);
  response.end();
}

function sendSlowly(response: ServerResponse, [event, ...rest]: string[]): void {
  if (event === undefined || response.destroyed) return void response.end();
  response.write(event);
  setTimeout(() => sendSlowly(response, rest), SLOW_EVENT_MS);
}
