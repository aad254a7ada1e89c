import type { AppConfig } from '@platform/config';
import { nearMisses } from '@platform/errors';
import type { JsonHandler, JsonToken, SegmentedBytes } from '@platform/json';
import type { CacheUse } from '../../ledger/credit-ledger.port';
import type { MessageContent } from '../../ports/ai-upstream.port';
import { InputBound } from './input-bound';
import { type FieldRule, type JudgedPlace, PLAIN_FIELDS, type RequestFields } from './request-fields';
import { type Frame, type FrameKind, kindInside, newFrame } from './request-frame';
import { BodyJudge, DETAILS, MessageJudge, RequestFaults, ToolJudge } from './request-judges';

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

/** Number of ignored names that are looked at. */
const MOST_COMPARED = 50;
/** Number of names without a rule that are remembered in an object, to find one that is given twice. */
const MOST_REMEMBERED = 1_000;
const PLACES = new Set<FrameKind>(['body', 'tool', 'thinking', 'output_config'] satisfies JudgedPlace[]);
/**
 * The members of messages, and of blocks and their parts, that decide a request's validity or its cost: a bit
 * each. The members of the other objects have rules.
 */
const OF_MESSAGE = bits('role', 'content');
const OF_BLOCK = bits('content', 'type', 'source', 'data', 'file_id', 'cache_control', 'ttl', 'input');

/**
 * Reads and validates the body of a message request while it arrives, without building it in memory:
 * a body may have 32 MB. The rules of its address decide how each field is treated. A judged name must not stand twice in one
 * object: we would judge the one and the provider might use the other.
 */
export class MessageRequestReader implements JsonHandler {
  private readonly bound = new InputBound();
  private readonly faults = new RequestFaults();
  private readonly messages = new MessageJudge(this.bound, this.faults);
  private readonly tools = new ToolJudge(this.bound, this.faults);
  private readonly body: BodyJudge;
  private frame?: Frame;
  /** Number of open objects and arrays inside an ignored one. */
  private skipping = 0;
  private thinkingTokens?: number;
  /** The first names of the body that have no effect. */
  private readonly unknown: string[] = [];

  /** @param contextTokens input tokens that no request can exceed. */
  constructor(
    private readonly contextTokens: number,
    private readonly rules: RequestFields = PLAIN_FIELDS,
  ) {
    this.body = new BodyJudge(this.faults);
  }

  /** Makes the reader of each body of an address with these rules. */
  static withRules(rules: RequestFields): (config: AppConfig) => MessageRequestReader {
    return ({ AI_CONTEXT_TOKENS }) => new MessageRequestReader(AI_CONTEXT_TOKENS, rules);
  }

  /**
   * Returns the request after the whole body was parsed. @param bytes the body. @throws ServiceError invalid_request
   */
  result(bytes: SegmentedBytes): MessageRequest {
    const { body, bound, contextTokens, thinkingTokens } = this;
    if (!body.has('messages')) this.faults.add({ pointer: '/messages', detail: DETAILS.missing(this.unknown) });
    this.faults.throwIfAny();
    const { content, contentBytes, optionBytes } = body.content(bytes);
    const structured = body.has('output_config');
    return {
      ...content,
      ...(body.maxTokens !== undefined && { maxTokens: body.maxTokens }),
      stream: body.stream,
      ...(thinkingTokens !== undefined && { thinkingTokens }),
      inputTokens: bound.tokens({ contentBytes, optionBytes, structured, contextTokens }),
      cache: bound.cache,
      ...(bound.citations && { citations: true }),
    };
  }

  /** Names of ignored fields that were probably meant for known ones. */
  get ignored(): string[] {
    return this.unknown.length > 0 ? nearMisses(this.unknown, this.rules.known) : [];
  }

  open(kind: 'object' | 'array', start: number): void {
    if (this.skipping > 0) {
      this.skipping++;
      return;
    }
    const { frame } = this;
    if (frame?.isArray) frame.index++;
    const isArray = kind === 'array';
    const inside = kindInside(frame, isArray);
    if (frame) this.judgeNested(frame, inside !== undefined, start);
    if (inside === undefined) this.skipping = 1;
    else this.frame = newFrame(inside, isArray, frame);
    if (inside === 'cache') this.bound.addCacheControl();
  }

  close(end: number): void {
    if (this.skipping === 0) {
      const frame = this.frame as Frame;
      this.frame = frame.parent;
      this.endFrame(frame);
    } else if (--this.skipping > 0) return;
    if (this.frame?.kind === 'body') this.body.end(this.frame, end);
  }

  key(token: JsonToken): void {
    if (this.skipping > 0) return;
    const frame = this.frame as Frame;
    const text = token.text();
    const name = text ?? '…';
    frame.key = name;
    if (PLACES.has(frame.kind)) {
      frame.rule = this.rules.ruleOf(frame.kind as JudgedPlace, name);
      if (frame.rule === 'ignored' && frame.kind === 'body' && this.unknown.length < MOST_COMPARED)
        this.unknown.push(name);
      frame.names ??= new Set();
      if (text !== undefined && frame.names.has(text)) this.faults.at(frame, () => DETAILS.twice(name));
      // A hostile body has half a million names that decide nothing. Those with a rule are few, and are always remembered:
      // of two values only the last is sent, while the input's bound counts both.
      else if (hasRule(frame.rule) || (text !== undefined && frame.names.size < MOST_REMEMBERED)) frame.names.add(name);
      return;
    }
    const bit = (frame.kind === 'message' ? OF_MESSAGE : OF_BLOCK).get(name);
    if (bit === undefined) return;
    if ((frame.seen & bit) !== 0) this.faults.at(frame, () => DETAILS.twice(name));
    frame.seen |= bit;
  }

  scalar(kind: 'string' | 'number' | 'literal', token: JsonToken): void {
    const { frame } = this;
    // Without a frame the body is no object, which the parser refuses at its end.
    if (this.skipping > 0 || !frame) return;
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
        return this.messages.badBlock(frame);
      case 'tools':
        return this.tools.badTool(frame);
      case 'callers':
        return this.tools.caller(frame, token);
      case 'thinking':
        if (frame.key === 'budget_tokens' && kind === 'number') this.thinkingBudget(frame, Number(token.text()));
        return this.tools.member(frame, token, kind === 'string');
      case 'tool':
      case 'output_config':
        return this.tools.member(frame, token, kind === 'string');
      case 'citations':
        // Given twice, either counts.
        if (frame.key === 'enabled' && token.text() !== 'false') this.bound.citations = true;
        return this.messages.partMember(frame, kind === 'string', token);
      default:
        if (!frame.isArray) this.messages.partMember(frame, kind === 'string', token);
    }
  }

  private thinkingBudget(frame: Frame, tokens: number): void {
    if (Number.isSafeInteger(tokens) && tokens >= 1) this.thinkingTokens = tokens;
    else this.faults.at(frame, DETAILS.budget);
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
        if (!expected) this.messages.badBlock(frame);
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
        if (!frame.isArray) this.messages.partMember(frame);
    }
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
      case 'refused':
        return this.body.endRefused(frame);
      case 'tool':
        return this.tools.endTool(frame);
      default:
    }
  }
}

function bits(...names: string[]): Map<string, number> {
  return new Map(names.map((name, index) => [name, 1 << index]));
}

function hasRule(rule: FieldRule | undefined): boolean {
  return rule !== 'ignored' && rule !== 'unknown';
}
