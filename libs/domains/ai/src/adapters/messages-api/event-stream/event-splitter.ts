/** An event within a piece of a stream. */
export interface WireEvent {
  /** What its `event` field says. */
  name?: string;
  /** Where it begins, and where the blank line after it ends. */
  start: number;
  end: number;
}

/** An event is longer than any of the provider's. */
export class OversizedEventError extends Error {}

/** Longest event: a delta has some hundred bytes, the signature of thinking some thousand. */
const MAX_EVENT_BYTES = 1024 * 1024;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const EVENT_FIELD = 'event:';
const FIRST_OF_EVENT = EVENT_FIELD.charCodeAt(0);
const DATA_FIELD = 'data:';

/** Finds the events in a stream of server-sent events that arrives in arbitrary pieces. Lines end with LF or CRLF. */
export class EventSplitter {
  private rest: Buffer = Buffer.alloc(0);

  /** @returns what came so far and is not an event yet with the piece added, and the whole events in it */
  split(piece: Buffer): { bytes: Buffer; events: WireEvent[] } {
    const bytes = this.rest.length > 0 ? Buffer.concat([this.rest, piece]) : piece;
    const events: WireEvent[] = [];
    let start = 0;
    let name: string | undefined;
    for (let line = 0; line < bytes.length;) {
      const feed = bytes.indexOf(LINE_FEED, line);
      if (feed < 0) break;
      const end = feed > line && bytes[feed - 1] === CARRIAGE_RETURN ? feed - 1 : feed;
      if (end === line) {
        events.push({ name, start, end: feed + 1 });
        start = feed + 1;
        name = undefined;
      } else if (bytes[line] === FIRST_OF_EVENT) {
        const text = bytes.toString('latin1', line, end);
        if (text.startsWith(EVENT_FIELD)) name = text.slice(EVENT_FIELD.length).trim();
      }
      line = feed + 1;
    }
    // A copy: the rest of a piece would keep all of it in memory.
    this.rest = start === 0 ? bytes : Buffer.from(bytes.subarray(start));
    if (this.rest.length > MAX_EVENT_BYTES) throw new OversizedEventError();
    return { bytes, events };
  }
}

/** The data of an event: its `data` fields, joined. */
export function dataOf(bytes: Buffer, { start, end }: WireEvent): string {
  const lines: string[] = [];
  for (const line of bytes.toString('utf8', start, end).split(/\r?\n/))
    if (line.startsWith(DATA_FIELD)) lines.push(line.slice(DATA_FIELD.length).trimStart());
  return lines.join('\n');
}
