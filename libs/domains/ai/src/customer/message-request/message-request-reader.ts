import type { JsonHandler, JsonToken, SegmentedBytes } from '@platform/json';
import { emptySurvey, surveyBlock, surveyCacheControl } from './content-survey';
import { inputTokensBound } from './input-tokens-bound';
import { judgedName, NAMES } from './judged-names';
import type { MessageRequest } from './message-request';
import { DETAILS, type Fault, RequestFaults } from './request-faults';
import { type Frame, kindInside, newFrame, pointerInto, pointerTo } from './request-frame';

const ROLES = new Set<string | undefined>(['user', 'assistant', 'system']);
/** The provider's own limit. */
const MAX_MESSAGES = 100_000;

interface Span {
  start: number;
  end: number;
}

/**
 * Reads and validates the body of a message request while it arrives, without building it in memory:
 * a body may have 32 MB. Whatever else it holds, `model`, `stream` and `tools` included, is ignored. A name that is judged
 * must not be given twice in one object: we would judge the one and the provider might use the other.
 */
export class MessageRequestReader implements JsonHandler {
  private readonly survey = emptySurvey();
  private readonly faults = new RequestFaults();
  private frame?: Frame;
  /** Number of open objects and arrays inside an ignored one. */
  private ignored = 0;
  private messages?: Span;
  private system?: Span;
  private maxTokens?: number;

  /** @param contextTokens input tokens that no request can exceed. */
  constructor(private readonly contextTokens: number) {}

  /**
   * Returns the request after the whole body was parsed. @param bytes the body. @throws ServiceError invalid_request
   */
  result(bytes: SegmentedBytes): MessageRequest {
    if (!this.messages) this.faults.add({ pointer: '/messages', detail: DETAILS.missing });
    this.faults.throwIfAny();
    if (this.survey.foreignFile !== undefined)
      this.faults.add({ pointer: this.survey.foreignFile, detail: DETAILS.foreignFile });
    this.faults.throwIfAny();
    const { messages, system, survey, contextTokens } = this;
    const length = lengthOf(messages) + lengthOf(system);
    return {
      messages: messages ? bytes.slice(messages.start, messages.end) : [],
      ...(system && { system: bytes.slice(system.start, system.end) }),
      ...(this.maxTokens !== undefined && { maxTokens: this.maxTokens }),
      inputTokens: inputTokensBound({ bytes: length, survey, contextTokens }),
      cache: survey.cache,
    };
  }

  open(kind: 'object' | 'array', start: number): void {
    if (this.ignored > 0) {
      this.ignored++;
      return;
    }
    const { frame } = this;
    if (frame?.isArray) frame.index++;
    const isArray = kind === 'array';
    const inside = kindInside(frame, isArray);
    if (frame) this.judgeNested(frame, inside !== undefined, start);
    if (inside === undefined) this.ignored = 1;
    else this.frame = newFrame(inside, isArray, frame);
    if (inside === 'cache') surveyCacheControl(this.survey);
  }

  close(end: number): void {
    if (this.ignored > 0) {
      this.ignored--;
      return;
    }
    const frame = this.frame as Frame;
    this.frame = frame.parent;
    switch (frame.kind) {
      case 'messages':
        return this.endMessages(frame, end);
      case 'message':
        return this.endMessage(frame);
      case 'content':
        if (frame.parent) frame.parent.content = frame.index < 0 ? 'empty' : 'given';
        return;
      case 'source':
        if (frame.parent) Object.assign(frame.parent, { sourceType: frame.type, sourceBytes: frame.sourceBytes });
        return;
      case 'block':
        return this.endBlock(frame);
      default:
    }
  }

  key(token: JsonToken): void {
    if (this.ignored > 0) return;
    const frame = this.frame as Frame;
    frame.key = token.text() ?? '…';
    const bit = judgedName(frame);
    if ((frame.seen & bit) !== 0) this.faults.add({ pointer: pointerInto(frame), detail: DETAILS.twice(frame.key) });
    frame.seen |= bit;
    if (bit === NAMES.file_id) this.survey.foreignFile ??= pointerTo(frame);
  }

  scalar(kind: 'string' | 'number' | 'literal', token: JsonToken): void {
    if (this.ignored > 0) return;
    const frame = this.frame as Frame;
    if (frame.isArray) frame.index++;
    switch (frame.kind) {
      case 'body':
        return this.option(frame, kind, token);
      case 'messages':
        return this.nextMessage(frame, false);
      case 'message':
        return this.messageMember(frame, kind, token);
      case 'content':
        return this.badBlock(frame, pointerInto(frame));
      default:
        if (kind === 'string' && !frame.isArray) this.partMember(frame, token);
    }
  }

  /** Checks an object or array by its place, before its members are parsed. */
  private judgeNested(frame: Frame, expected: boolean, start: number): void {
    if (frame.kind === 'body') {
      if (expected) this.messages = { start, end: start };
      else this.option(frame, 'nested');
    } else if (frame.kind === 'messages') {
      this.nextMessage(frame, expected);
    } else if (frame.kind === 'message' && frame.key === 'content') {
      frame.content = 'given';
      if (!expected) frame.faults = [{ pointer: pointerInto(frame), detail: DETAILS.content }];
    } else if (frame.kind === 'content' && !expected) this.badBlock(frame, pointerInto(frame));
  }

  /** Another message begins, so the one before it was not the last. */
  private nextMessage(frame: Frame, isObject: boolean): void {
    this.faults.add(...(frame.faults ?? []));
    frame.faults = undefined;
    if (!isObject) this.faults.add({ pointer: pointerInto(frame), detail: DETAILS.message });
  }

  /** A member of the body that is not an array of messages. */
  private option(frame: Frame, kind: 'string' | 'number' | 'literal' | 'nested', token?: JsonToken): void {
    const fault = (detail: string) => this.faults.add({ pointer: pointerInto(frame), detail });
    if (frame.key === 'messages') {
      this.messages = { start: 0, end: 0 };
      fault(DETAILS.messages);
    } else if (frame.key === 'system') {
      if (kind === 'string' && token) this.system = { start: token.start, end: token.end };
      else fault(DETAILS.system);
    } else if (frame.key === 'max_tokens') {
      const number = kind === 'number' ? Number(token?.text()) : NaN;
      if (Number.isInteger(number) && number >= 1) this.maxTokens = number;
      else fault(kind === 'string' ? DETAILS.maxTokensText : DETAILS.maxTokens);
    }
  }

  private messageMember(frame: Frame, kind: 'string' | 'number' | 'literal', token: JsonToken): void {
    if (frame.key === 'role') frame.role = kind === 'string' ? token.text() : undefined;
    if (frame.key !== 'content') return;
    frame.content = kind === 'string' && token.end - token.start === EMPTY_TEXT ? 'empty' : 'given';
    if (kind !== 'string') frame.faults = [{ pointer: pointerInto(frame), detail: DETAILS.content }];
  }

  private partMember(frame: Frame, token: JsonToken): void {
    if (frame.key === 'type') {
      // A text that is too long to be read is not a known type.
      frame.type = token.text() ?? '';
      if (frame.type === 'container_upload') this.survey.foreignFile ??= pointerTo(frame);
    } else if (frame.key === 'data' && frame.kind === 'source')
      frame.sourceBytes = token.end - token.start - EMPTY_TEXT;
    else if (frame.key === 'ttl' && frame.kind === 'cache') surveyCacheControl(this.survey, token.text());
  }

  private endBlock(frame: Frame): void {
    if (frame.type === undefined && frame.parent?.kind === 'content') this.badBlock(frame.parent, pointerTo(frame));
    surveyBlock(this.survey, frame);
  }

  /** Reports the first invalid block of a message. */
  private badBlock({ parent: message }: Frame, pointer: string): void {
    if (message) message.faults ??= [{ pointer, detail: DETAILS.block }];
  }

  private endMessage(frame: Frame): void {
    const pointer = pointerTo(frame);
    if (!ROLES.has(frame.role)) this.faults.add({ pointer: `${pointer}/role`, detail: DETAILS.role });
    const content = (detail: string): Fault => ({ pointer: `${pointer}/content`, detail });
    if (frame.content === undefined) this.faults.add(content(DETAILS.content));
    this.faults.add(...(frame.faults ?? []));
    if (frame.content !== 'empty') return;
    // The last message may be the empty beginning of the model's answer. Whether it is the last one is known later.
    if (frame.role === 'assistant' && frame.parent) frame.parent.faults = [content(DETAILS.emptyContent)];
    else this.faults.add(content(DETAILS.emptyContent));
  }

  private endMessages(frame: Frame, end: number): void {
    if (this.messages) this.messages.end = end;
    const fault = (detail: string) => this.faults.add({ pointer: '/messages', detail });
    if (frame.index < 0) fault(DETAILS.noMessages);
    if (frame.index >= MAX_MESSAGES) fault(DETAILS.tooManyMessages(MAX_MESSAGES));
  }
}

/** Length of an empty JSON text: two quotes. */
const EMPTY_TEXT = 2;

function lengthOf(span: Span | undefined): number {
  return span ? span.end - span.start : 0;
}
