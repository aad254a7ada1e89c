import type { Message } from '@anthropic-ai/sdk/resources/messages';
import { type Answer } from '../../shared/answer';
import { type Directives } from '../../shared/faults/directives';
import { messageEvents } from './message-events';
import { streamScript } from './stream-script';

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
