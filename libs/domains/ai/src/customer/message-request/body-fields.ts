import type { JsonToken, SegmentedBytes } from '@platform/json';
import type { ForwardedField } from './message-request';
import { DETAILS, type RequestFaults } from './request-faults';
import { type Frame, pointerInto } from './request-frame';

/** What a value is; `nested` for objects and arrays. */
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
    const fault = (detail: string) => this.faults.add({ pointer: pointerInto(frame), detail });
    if (rule === 'own') this.own(frame, start, kind, token, judged);
    else if ((kind === 'literal' && token?.text() === 'null') || rule === 'ignored' || rule === undefined) return;
    else if (rule === 'forwarded') {
      if (key === 'tools' && !judged) return fault(DETAILS.tools);
      if (key === 'service_tier' && !(kind === 'string' && SERVICE_TIERS.has(token?.text())))
        return fault(DETAILS.serviceTier);
      this.spans.set(key, { start, end: start });
    } else if (rule !== 'elsewhere') fault(DETAILS[rule](key));
    else if (!judged) fault(DETAILS.elsewhere(key));
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

  /** Bytes of `messages` and `system`. */
  get contentBytes(): number {
    return this.length('messages') + this.length('system');
  }

  /** Bytes of the other forwarded fields. */
  get optionBytes(): number {
    return this.optionNames().reduce((sum, name) => sum + this.length(name), 0);
  }

  /** The JSON of a field; undefined if it was not given. */
  json(name: string, bytes: SegmentedBytes): Buffer[] | undefined {
    const span = this.spans.get(name);
    return span && bytes.slice(span.start, span.end);
  }

  /** The forwarded fields besides `messages` and `system`. */
  options(bytes: SegmentedBytes): ForwardedField[] {
    return this.optionNames().map((name) => ({ name, json: this.json(name, bytes) ?? [] }));
  }

  private optionNames(): string[] {
    return [...this.spans.keys()].filter((name) => name !== 'messages' && name !== 'system');
  }

  private length(name: string): number {
    const span = this.spans.get(name);
    return span ? span.end - span.start : 0;
  }

  private own(frame: Frame, start: number, kind: ValueKind, token: JsonToken | undefined, judged: boolean): void {
    const fault = (detail: string) => this.faults.add({ pointer: pointerInto(frame), detail });
    const value = kind === 'nested' ? undefined : token?.text();
    switch (frame.key) {
      case 'messages':
        this.spans.set('messages', { start, end: start });
        if (!judged) fault(DETAILS.messages);
        return;
      case 'system':
        if (kind === 'string' || judged) this.spans.set('system', { start, end: start });
        else fault(DETAILS.system);
        return;
      case 'max_tokens': {
        const number = kind === 'number' ? Number(value) : NaN;
        if (Number.isInteger(number) && number >= 1) this.maxTokens = number;
        else fault(kind === 'string' ? DETAILS.maxTokensText : DETAILS.maxTokens);
        return;
      }
      default:
        if (kind === 'literal' && value === 'true') this.stream = true;
        else if (this.strict && !(kind === 'literal' && value === 'false')) fault(DETAILS.stream);
    }
  }
}
