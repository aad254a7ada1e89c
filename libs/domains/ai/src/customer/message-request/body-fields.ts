import type { JsonToken, SegmentedBytes } from '@platform/json';
import type { CacheUse } from '../../ledger/credit-ledger.port';
import type { ForwardedField, MessageContent } from '../../ports/ai-upstream.port';
import { DETAILS, type Frame, type RequestFaults } from './request-frame';

/** A valid request for a message. */
export interface MessageRequest extends MessageContent {
  maxTokens?: number;
  /** Whether the body asks for a stream of events. */
  stream: boolean;
  /** The part of the answer's tokens that is for thinking: `max_tokens` must be more. */
  thinkingTokens?: number;
  /** Upper bound of the input tokens. */
  inputTokens: number;
  cache: CacheUse;
}

/** The JSON type of a value; `nested` for objects and arrays. */
export type ValueKind = 'string' | 'number' | 'literal' | 'nested';

interface Span {
  start: number;
  end: number;
}

const SERVICE_TIERS = new Set<string | undefined>(['auto', 'standard_only']);

/** The fields of the body: where they stand, and the values of those that the service reads itself. */
export class BodyFields {
  maxTokens?: number;
  stream = false;
  private readonly spans = new Map<string, Span>();

  constructor(
    private readonly faults: RequestFaults,
    /** Whether a `stream` of the wrong type is refused. */
    private readonly strict: boolean,
  ) {}

  /** A value begins. @param judged whether its members are judged, so that it has the right type */
  begin(frame: Frame, start: number, kind: ValueKind, token?: JsonToken, judged = false): void {
    const { key = '', rule } = frame;
    if (rule === 'own') this.own(frame, start, kind, token, judged);
    else if ((kind === 'literal' && token?.text() === 'null') || rule === 'ignored' || rule === undefined) return;
    else if (rule === 'forwarded') {
      if (key === 'tools' && !judged) return this.faults.addInto(frame, DETAILS.tools);
      if (key === 'service_tier' && !(kind === 'string' && SERVICE_TIERS.has(token?.text())))
        return this.faults.addInto(frame, DETAILS.serviceTier);
      this.spans.set(key, { start, end: start });
    } else if (rule !== 'elsewhere') this.faults.addInto(frame, DETAILS[rule](key));
    else if (!judged) this.faults.addInto(frame, DETAILS.elsewhere(key));
  }

  /** The value of the current field ends before byte `end`. */
  end({ key = '' }: Frame, end: number): void {
    const span = this.spans.get(key);
    if (span) span.end = end;
  }

  /** Whether the field was given, and is forwarded. */
  has(name: string): boolean {
    return this.spans.has(name);
  }

  /** Cuts the forwarded fields out of the body, and counts the bytes of the content and of the other fields. */
  content(body: SegmentedBytes): { content: MessageContent; contentBytes: number; optionBytes: number } {
    const options: ForwardedField[] = [];
    const content: MessageContent = { messages: [], options };
    let contentBytes = 0;
    let optionBytes = 0;
    for (const [name, { start, end }] of this.spans) {
      const json = body.slice(start, end);
      if (name === 'messages' || name === 'system') {
        content[name] = json;
        contentBytes += end - start;
      } else {
        options.push({ name, json });
        optionBytes += end - start;
      }
    }
    return { content, contentBytes, optionBytes };
  }

  private own(frame: Frame, start: number, kind: ValueKind, token: JsonToken | undefined, judged: boolean): void {
    const value = kind === 'nested' ? undefined : token?.text();
    switch (frame.key) {
      case 'messages':
        this.spans.set('messages', { start, end: start });
        if (!judged) this.faults.addInto(frame, DETAILS.messages);
        return;
      case 'system':
        if (kind === 'string' || judged) this.spans.set('system', { start, end: start });
        else this.faults.addInto(frame, DETAILS.system);
        return;
      case 'max_tokens': {
        const number = kind === 'number' ? Number(value) : NaN;
        if (Number.isInteger(number) && number >= 1) this.maxTokens = number;
        else this.faults.addInto(frame, kind === 'string' ? DETAILS.maxTokensText : DETAILS.maxTokens);
        return;
      }
      default:
        if (kind === 'literal' && value === 'true') this.stream = true;
        else if (this.strict && !(kind === 'literal' && value === 'false')) this.faults.addInto(frame, DETAILS.stream);
    }
  }
}
