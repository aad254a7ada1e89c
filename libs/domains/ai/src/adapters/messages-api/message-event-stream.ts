import type { Readable } from 'node:stream';
import { UpstreamCallError, type UpstreamStream } from '@platform/upstream';
import type { TokenUsage } from '../../ledger/credit-ledger.port';
import { UpstreamError, type UpstreamMessageStream } from '../../ports/ai-upstream.port';
import { brokenOff, failedMidway, isRefusal, unanswered, unreadable } from './provider-errors';
import { StreamedUsage } from './reply-usage';

/** How long the connection may stay open after the last event, to be used again. */
const LINGER_MS = 1_000;
/** Longest event apart from what it cites: a delta has some hundred bytes, the signature of thinking some thousand. */
const MAX_EVENT_BYTES = 1024 * 1024;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const EVENT_FIELD = 'event:';
const FIRST_OF_EVENT = EVENT_FIELD.charCodeAt(0);
const DATA_FIELD = 'data:';

/** An event within a piece of a stream. */
export interface WireEvent {
  /** The value of its `event` field. */
  name?: string;
  /** Where it begins, and where the blank line after it ends. */
  start: number;
  end: number;
}

/** An event is longer than any of the provider's. */
export class OversizedEventError extends Error {}

/** The provider ended the message with an `error` event. */
class ErrorEvent extends Error {
  /** @param data the event's, parsed */
  constructor(readonly data: unknown) {
    super();
  }
}

/** The end of a message. */
interface End {
  usage: TokenUsage;
  lastEvent: Buffer;
}

/** The events of a message. All bytes of an event are passed on at once, and none of one that breaks off. */
export class MessageEventStream implements UpstreamMessageStream {
  private readonly content: Readable;
  private readonly splitter: EventSplitter;
  private readonly usage = new StreamedUsage();
  private readonly ended = Promise.withResolvers<End>();
  private done = false;

  /** @param citedBytes the most that an event may cite */
  constructor(
    private readonly reply: Pick<UpstreamStream, 'content' | 'unusable'>,
    readonly requestId: string | null,
    citedBytes = 0,
  ) {
    this.content = reply.content;
    this.splitter = new EventSplitter(MAX_EVENT_BYTES + citedBytes);
  }

  read(pass: (events: Buffer) => void): Promise<End> {
    this.content
      .on('data', (piece: Buffer) => this.take(piece, pass))
      .on('end', () => {
        if (!this.done) this.fail(brokenOff(), 'NO_MESSAGE_STOP');
      })
      .on('error', (error) => this.fail(error instanceof UpstreamCallError ? unanswered(error) : error));
    return this.ended.promise;
  }

  pause(): void {
    if (!this.done) this.content.pause();
  }

  resume(): void {
    this.content.resume();
  }

  private take(piece: Buffer, pass: (events: Buffer) => void): void {
    if (this.done) return;
    try {
      const { bytes, events } = this.splitter.split(piece);
      const last = this.pass(bytes, events, pass);
      if (last) this.end(bytes, last);
    } catch (error) {
      if (error instanceof SyntaxError || error instanceof OversizedEventError) this.fail(unreadable('EVENT'), 'EVENT');
      else if (error instanceof ErrorEvent)
        this.fail(failedMidway(error.data), isRefusal(error.data) ? undefined : 'ERROR_EVENT');
      else this.fail(error);
    }
  }

  /** Passes on the events before the one that ends the message, or fails it. @returns the one that ends it */
  private pass(bytes: Buffer, events: WireEvent[], pass: (events: Buffer) => void): WireEvent | undefined {
    let passed = 0;
    try {
      for (const event of events) {
        if (!this.goesOn(bytes, event)) return event;
        passed = event.end;
      }
      return undefined;
    } finally {
      if (passed > 0) pass(bytes.subarray(0, passed));
    }
  }

  /** Takes note of an event. @returns false for the one that ends the message */
  private goesOn(bytes: Buffer, event: WireEvent): boolean {
    const type = event.name ?? typeOf(bytes, event);
    switch (type) {
      case 'message_start':
        this.usage.begin(JSON.parse(dataOf(bytes, event)));
        return true;
      case 'message_delta':
        this.usage.update(JSON.parse(dataOf(bytes, event)));
        return true;
      case 'error':
        throw new ErrorEvent(JSON.parse(dataOf(bytes, event)));
      default:
        return type !== 'message_stop';
    }
  }

  private end(bytes: Buffer, { start, end }: WireEvent): void {
    const { total: usage } = this.usage;
    if (!usage) return this.fail(unreadable('NO_USAGE'), 'NO_USAGE');
    this.done = true;
    this.ended.resolve({ usage, lastEvent: Buffer.from(bytes.subarray(start, end)) });
    // Its end is read, also while the reader is behind.
    this.content.resume();
    const timer = setTimeout(() => this.content.destroy(), LINGER_MS).unref();
    this.content.once('close', () => clearTimeout(timer));
  }

  /** @param code says what is wrong with the reply; undefined if the call has failed, its request is refused, or the fault is ours */
  private fail(error: unknown, code?: string): void {
    if (this.done) return;
    this.done = true;
    const { soFar: usageSoFar } = this.usage;
    const { requestId } = this;
    const known = {
      ...(usageSoFar !== undefined && { usageSoFar, mayBeBilled: true }),
      ...(requestId !== null && { requestId }),
    };
    this.ended.reject(error instanceof UpstreamError ? error.with(known) : error);
    if (code === undefined) this.content.destroy();
    else this.reply.unusable(code);
  }
}

/** The type of an event without a name. */
function typeOf(bytes: Buffer, event: WireEvent): unknown {
  const data = dataOf(bytes, event);
  // A comment keeps the connection alive.
  return data === '' ? undefined : (JSON.parse(data) as { type?: unknown } | null)?.type;
}

/** Finds the events in a stream of server-sent events that arrives in arbitrary pieces. Lines end with LF or CRLF. */
export class EventSplitter {
  /** The incomplete event so far. */
  private rest: Buffer[] = [];
  private restBytes = 0;

  constructor(private readonly maxEventBytes = MAX_EVENT_BYTES) {}

  /** @returns the whole events that the piece completes, and the bytes that they are in */
  split(piece: Buffer): { bytes: Buffer; events: WireEvent[] } {
    this.rest.push(piece);
    this.restBytes += piece.length;
    const found = this.complete(piece);
    if (this.restBytes > this.maxEventBytes) throw new OversizedEventError();
    return found;
  }

  private complete(piece: Buffer): { bytes: Buffer; events: WireEvent[] } {
    const events: WireEvent[] = [];
    // The data of an event are one line: a long one is put together at its end, and not with each of its pieces.
    if (!piece.includes(LINE_FEED)) return { bytes: piece, events };
    const bytes = this.rest.length > 1 ? Buffer.concat(this.rest, this.restBytes) : piece;
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
    this.rest = start === 0 ? [bytes] : start < bytes.length ? [Buffer.from(bytes.subarray(start))] : [];
    this.restBytes = bytes.length - start;
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
