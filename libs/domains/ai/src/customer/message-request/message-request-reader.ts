import type { JsonHandler, JsonToken, SegmentedBytes } from '@platform/json';
import { BodyFields } from './body-fields';
import { emptySurvey, surveyCacheControl } from './content-survey';
import type { RequestFields } from './fields/field-rule';
import { PLAIN_FIELDS } from './fields/plain-fields';
import { inputTokensBound } from './input-tokens-bound';
import { judgedName, NAMES } from './judged-names';
import { MessageJudge } from './message-judge';
import type { MessageRequest } from './message-request';
import { DETAILS, RequestFaults } from './request-faults';
import { type Frame, judgedPlace, kindInside, newFrame, pointerInto, pointerTo } from './request-frame';
import { ToolJudge } from './tool-judge';

/**
 * Reads and validates the body of a message request while it arrives, without building it in memory:
 * a body may have 32 MB. What is done with a field follows from the rules of its address. A name that is judged must not be
 * given twice in one object: we would judge the one and the provider might use the other.
 */
export class MessageRequestReader implements JsonHandler {
  private readonly survey = emptySurvey();
  private readonly faults = new RequestFaults();
  private readonly messages = new MessageJudge(this.survey, this.faults);
  private readonly tools = new ToolJudge(this.survey, this.faults);
  private readonly body: BodyFields;
  private frame?: Frame;
  /** Number of open objects and arrays inside an ignored one. */
  private ignored = 0;
  private thinkingTokens?: number;

  /** @param contextTokens input tokens that no request can exceed. */
  constructor(
    private readonly contextTokens: number,
    private readonly rules: RequestFields = PLAIN_FIELDS,
  ) {
    this.body = new BodyFields(this.faults, rules !== PLAIN_FIELDS);
  }

  /**
   * Returns the request after the whole body was parsed. @param bytes the body. @throws ServiceError invalid_request
   */
  result(bytes: SegmentedBytes): MessageRequest {
    const { body, survey, contextTokens, thinkingTokens } = this;
    if (!body.has('messages')) this.faults.add({ pointer: '/messages', detail: DETAILS.missing });
    this.faults.throwIfAny();
    if (survey.foreignFile !== undefined) this.faults.add({ pointer: survey.foreignFile, detail: DETAILS.foreignFile });
    this.faults.throwIfAny();
    const system = body.json('system', bytes);
    survey.structured = body.has('output_config');
    return {
      messages: body.json('messages', bytes) ?? [],
      ...(system && { system }),
      options: body.options(bytes),
      ...(body.maxTokens !== undefined && { maxTokens: body.maxTokens }),
      stream: body.stream,
      ...(thinkingTokens !== undefined && { thinkingTokens }),
      inputTokens: inputTokensBound({ bytes: body.contentBytes, optionBytes: body.optionBytes, survey, contextTokens }),
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
    if (this.ignored === 0) {
      const frame = this.frame as Frame;
      this.frame = frame.parent;
      this.endFrame(frame);
    } else if (--this.ignored > 0) return;
    if (this.frame?.kind === 'body') this.body.end(this.frame, end);
  }

  key(token: JsonToken): void {
    if (this.ignored > 0) return;
    const frame = this.frame as Frame;
    frame.key = token.text() ?? '…';
    const place = judgedPlace(frame);
    if (place) {
      frame.rule = this.rules.ruleOf(place, frame.key);
      if (frame.rule !== 'ignored') this.nameOnce(frame, frame.key);
      return;
    }
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
        this.body.begin(frame, token.start, kind, token);
        return this.body.end(frame, token.end);
      case 'messages':
        return this.messages.nextMessage(frame, false);
      case 'message':
        return this.messages.member(frame, kind === 'string', token);
      case 'content':
      case 'system':
        return this.messages.badBlock(frame, pointerInto(frame));
      case 'tools':
        return this.tools.badTool(frame);
      case 'callers':
        return this.tools.caller(frame, token);
      case 'thinking':
        if (frame.key === 'budget_tokens' && kind === 'number') this.thinkingTokens = Number(token.text());
        return this.tools.member(frame, token, kind === 'string');
      case 'tool':
      case 'output_config':
        return this.tools.member(frame, token, kind === 'string');
      default:
        if (kind === 'string' && !frame.isArray) this.messages.partMember(frame, token);
    }
  }

  /** Checks an object or array by its place, before its members are parsed. */
  private judgeNested(frame: Frame, expected: boolean, start: number): void {
    switch (frame.kind) {
      case 'body':
        return this.body.begin(frame, start, 'nested', undefined, expected);
      case 'messages':
        return this.messages.nextMessage(frame, expected);
      case 'message':
        if (!expected) this.messages.member(frame, false);
        else if (frame.key === 'content') frame.content = 'given';
        return;
      case 'content':
      case 'system':
        if (!expected) this.messages.badBlock(frame, pointerInto(frame));
        return;
      case 'tools':
        if (!expected) this.tools.badTool(frame);
        return;
      case 'callers':
        return this.tools.caller(frame);
      case 'tool':
      case 'thinking':
      case 'output_config':
        return this.tools.member(frame);
      default:
    }
  }

  private nameOnce(frame: Frame, name: string): void {
    const names = (frame.names ??= new Set());
    if (names.has(name)) this.faults.add({ pointer: pointerInto(frame), detail: DETAILS.twice(name) });
    names.add(name);
  }

  private endFrame(frame: Frame): void {
    const { parent } = frame;
    switch (frame.kind) {
      case 'messages':
        return this.messages.endMessages(frame);
      case 'message':
        return this.messages.endMessage(frame);
      case 'content':
        if (parent) parent.content = frame.index < 0 ? 'empty' : 'given';
        return;
      case 'source':
        if (parent) Object.assign(parent, { sourceType: frame.type, sourceBytes: frame.sourceBytes });
        return;
      case 'block':
        return this.messages.endBlock(frame);
      case 'tools':
        return this.tools.endTools(frame);
      case 'tool':
        return this.tools.endTool(frame);
      default:
    }
  }
}
