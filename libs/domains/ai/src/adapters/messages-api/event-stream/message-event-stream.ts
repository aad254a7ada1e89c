import type { Readable } from 'node:stream';
import { UpstreamCallError } from '@platform/upstream';
import type { TokenUsage } from '../../../ledger/token-usage';
import type { UpstreamMessageStream } from '../../../ports/ai-upstream.port';
import { UpstreamError } from '../../../ports/upstream-error';
import { brokenOff, failedMidway, unanswered, unreadable } from '../unanswered';
import { dataOf, EventSplitter, OversizedEventError, type WireEvent } from './event-splitter';
import { StreamedUsage } from './streamed-usage';

/** How long the connection may stay open after the last event, to be used again. */
const LINGER_MS = 1_000;

/** The end of a message. */
interface End {
  usage: TokenUsage;
  lastEvent: Buffer;
}

/** The events of a message. All bytes of an event are passed on at once, and none of one that breaks off. */
export class MessageEventStream implements UpstreamMessageStream {
  private readonly splitter = new EventSplitter();
  private readonly usage = new StreamedUsage();
  private readonly ended = Promise.withResolvers<End>();
  private done = false;

  constructor(
    private readonly content: Readable,
    readonly requestId: string | null,
  ) {}

  read(pass: (events: Buffer) => void): Promise<End> {
    this.content
      .on('data', (piece: Buffer) => this.take(piece, pass))
      .on('end', () => {
        if (!this.done) this.fail(brokenOff());
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
      this.fail(error instanceof SyntaxError || error instanceof OversizedEventError ? unreadable('EVENT') : error);
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
        throw failedMidway(errorTypeOf(dataOf(bytes, event)));
      default:
        return type !== 'message_stop';
    }
  }

  private end(bytes: Buffer, { start, end }: WireEvent): void {
    const { total: usage } = this.usage;
    if (!usage) return this.fail(unreadable('NO_USAGE'));
    this.done = true;
    this.ended.resolve({ usage, lastEvent: Buffer.from(bytes.subarray(start, end)) });
    const timer = setTimeout(() => this.content.destroy(), LINGER_MS).unref();
    this.content.once('close', () => clearTimeout(timer));
  }

  private fail(error: unknown): void {
    if (this.done) return;
    this.done = true;
    const { soFar: usageSoFar } = this.usage;
    const { requestId } = this;
    const known = { ...(usageSoFar !== undefined && { usageSoFar }), ...(requestId !== null && { requestId }) };
    this.ended.reject(error instanceof UpstreamError ? error.with(known) : error);
    this.content.destroy();
  }
}

/** The type of an event without a name. */
function typeOf(bytes: Buffer, event: WireEvent): unknown {
  const data = dataOf(bytes, event);
  // A comment keeps the connection alive.
  return data === '' ? undefined : (JSON.parse(data) as { type?: unknown } | null)?.type;
}

function errorTypeOf(data: string): string | undefined {
  const type = (JSON.parse(data) as { error?: { type?: unknown } | null } | null)?.error?.type;
  return typeof type === 'string' && /^\w{1,60}$/.test(type) ? type : undefined;
}
