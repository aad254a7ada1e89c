import { type StreamScript } from '../../shared/answer';
import { type Directives } from '../../shared/faults/directives';
import { serverSentEvent } from './server-sent-event';

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

/** How the events of a whole reply are sent, and where they stop. */
export function streamScript(events: string[], directives: Directives): StreamScript {
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
