import { ServiceError, similarName } from '@platform/errors';
import type { JsonToken, SegmentedBytes } from '@platform/json';
import type { ForwardedField, MessageContent } from '../../ports/ai-upstream.port';
import type { InputBound } from './input-bound';
import { isRefused, SDK_FIELDS, toolRule } from './request-fields';
import { type Fault, type Frame, pointerInto, pointerTo } from './request-frame';

const SERVICE_TIERS = new Set<string | undefined>(['auto', 'standard_only']);
const ROLES = new Set<string | undefined>(['user', 'assistant', 'system']);
/** The provider's own limit. */
const MAX_MESSAGES = 100_000;
/** Length of an empty JSON text: two quotes. */
const EMPTY_TEXT = 2;
/** The type of a tool that the caller defines. */
const CUSTOM = 'custom';

/** The JSON type of a value; `nested` for objects and arrays. */
type ValueKind = 'string' | 'number' | 'literal' | 'nested';

interface Span {
  start: number;
  end: number;
}

/** Judges the fields of the body, and finds them: where each stands, and the values of those that the service reads itself. */
export class BodyJudge {
  maxTokens?: number;
  stream = false;
  private readonly spans = new Map<string, Span>();

  constructor(private readonly faults: RequestFaults) {}

  /** A value begins. @param judged whether its members are judged, so that it has the right type */
  begin(frame: Frame, start: number, kind: ValueKind, token?: JsonToken, judged = false): void {
    const { key = '', rule } = frame;
    if (rule === 'own') this.own(frame, start, kind, token, judged);
    else if ((kind === 'literal' && token?.text() === 'null') || rule === 'ignored' || rule === undefined) return;
    else if (rule === 'forwarded') {
      if (key === 'tools' && !judged) return this.faults.at(frame, DETAILS.tools);
      if (key === 'service_tier' && !(kind === 'string' && SERVICE_TIERS.has(token?.text())))
        return this.faults.at(frame, DETAILS.serviceTier);
      this.spans.set(key, { start, end: start });
    } else if (!judged) this.faults.at(frame, () => DETAILS[rule](key));
  }

  /** An array whose field is refused ends. An empty one counts as not given. */
  endRefused({ index, parent }: Frame): void {
    const { rule, key = '' } = parent ?? {};
    if (parent && rule && index >= 0 && isRefused(rule)) this.faults.at(parent, () => DETAILS[rule](key));
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
    const isNull = kind === 'literal' && value === 'null';
    switch (frame.key) {
      case 'messages':
        this.spans.set('messages', { start, end: start });
        if (!judged) this.faults.at(frame, DETAILS.messages);
        return;
      case 'system':
        if (kind === 'string' || judged) this.spans.set('system', { start, end: start });
        else if (!isNull) this.faults.at(frame, DETAILS.system);
        return;
      case 'max_tokens': {
        const number = kind === 'number' ? Number(value) : NaN;
        if (Number.isInteger(number) && number >= 1) this.maxTokens = number;
        else this.faults.at(frame, kind === 'string' ? DETAILS.maxTokensText : DETAILS.maxTokens);
        return;
      }
      default:
        if (kind === 'literal' && value === 'true') this.stream = true;
        else if (!isNull && !(kind === 'literal' && value === 'false')) this.faults.at(frame, DETAILS.stream);
    }
  }
}

/** Judges messages and content blocks, those of the system prompt too. */
export class MessageJudge {
  constructor(
    private readonly bound: InputBound,
    private readonly faults: RequestFaults,
  ) {}

  /** Another message begins, so the one before it was not the last. */
  nextMessage(frame: Frame, isObject: boolean): void {
    if (frame.faultsUnlessLast) this.faults.add(...frame.faultsUnlessLast);
    frame.faultsUnlessLast = undefined;
    if (!isObject) this.faults.at(frame, DETAILS.message);
  }

  /** A member of a message that is no array. */
  member(frame: Frame, isText: boolean, token?: JsonToken): void {
    if (frame.key === 'role') frame.role = isText ? token?.text() : undefined;
    if (frame.key !== 'content') return;
    frame.content = isText && token && token.end - token.start === EMPTY_TEXT ? 'empty' : 'given';
    if (!isText) frame.contentFaults = [{ pointer: pointerInto(frame), detail: DETAILS.content }];
  }

  /** A member of a block or of a part of one. @param token undefined for an object or array */
  partMember(frame: Frame, isText = false, token?: JsonToken): void {
    // Null counts as not given: the citations of an answer have it, which is sent back with the next message.
    if (frame.key === 'file_id' && (isText || token?.text() !== 'null')) this.faults.foreignFile ??= pointerTo(frame);
    if (!isText || !token) return;
    if (frame.key === 'type') {
      // A text that is too long to be read is not a known type.
      frame.type = token.text() ?? '';
      if (frame.type === 'container_upload') this.faults.foreignFile ??= pointerTo(frame);
    } else if (frame.key === 'data' && frame.kind === 'source')
      frame.sourceBytes = token.end - token.start - EMPTY_TEXT;
    else if (frame.key === 'ttl' && frame.kind === 'cache') this.bound.addCacheControl(token.text());
  }

  /** The current item of a message's content or of the system prompt is no block. */
  badBlock(frame: Frame): void {
    if (frame.kind === 'system') this.faults.at(frame, DETAILS.systemBlock);
    // The first one of a message is reported.
    else if (frame.parent) frame.parent.contentFaults ??= [{ pointer: pointerInto(frame), detail: DETAILS.block }];
  }

  endBlock(frame: Frame): void {
    const { parent, type } = frame;
    const missing = type === undefined && parent?.kind === 'content';
    if (parent && (missing || (parent.kind === 'system' && type !== 'text'))) this.badBlock(parent);
    this.bound.addBlock(frame);
  }

  endMessage(frame: Frame): void {
    if (this.faults.areEnough) return;
    const { role, content } = frame;
    if (!ROLES.has(role)) this.faults.add({ pointer: `${pointerTo(frame)}/role`, detail: DETAILS.role });
    if (content === undefined) this.faults.add({ pointer: `${pointerTo(frame)}/content`, detail: DETAILS.content });
    if (frame.contentFaults) this.faults.add(...frame.contentFaults);
    if (content !== 'empty') return;
    const empty = { pointer: `${pointerTo(frame)}/content`, detail: DETAILS.emptyContent };
    // The last message may be the empty beginning of the model's answer. Whether it is the last one is known later.
    if (role === 'assistant' && frame.parent) frame.parent.faultsUnlessLast = [empty];
    else this.faults.add(empty);
  }

  endMessages(frame: Frame): void {
    if (frame.index < 0) this.faults.add({ pointer: '/messages', detail: DETAILS.noMessages });
    if (frame.index >= MAX_MESSAGES)
      this.faults.add({ pointer: '/messages', detail: DETAILS.tooManyMessages(MAX_MESSAGES) });
  }
}

/** Judges the tools, and the members of the objects that have rules. */
export class ToolJudge {
  constructor(
    private readonly bound: InputBound,
    private readonly faults: RequestFaults,
  ) {}

  /** A member of a tool, of `thinking` or of `output_config`. @param token undefined for an object or array */
  member(frame: Frame, token?: JsonToken, isText = false): void {
    const { rule, key = '', kind } = frame;
    const text = token?.text();
    // Null counts as not given. A text that is too long to be read, and a value of another JSON type, are no known type.
    const isNull = !isText && text === 'null';
    if (kind === 'tool' && key === 'type') frame.type = isText ? (text ?? '') : isNull ? CUSTOM : '';
    if (isNull || (rule !== 'unpriced' && rule !== 'beta' && rule !== 'unknown')) return;
    const describe = () => DETAILS[rule](key);
    if (kind === 'tool') this.keep(frame, frame, describe);
    else this.faults.at(frame, describe);
  }

  /** One that may call a tool: code that the provider runs is billed by its time. */
  caller(frame: Frame, token?: JsonToken): void {
    if (token?.text() === 'direct' || !frame.parent) return;
    this.keep(frame.parent, frame, DETAILS.callers);
  }

  /** Something in `tools` that is no object. */
  badTool(frame: Frame): void {
    this.faults.at(frame, DETAILS.tools);
  }

  /** A complete tool. It is refused for its type, which may have members of its own, or else for its members. */
  endTool(frame: Frame): void {
    if (frame.parent?.parent?.rule !== 'forwarded' || this.faults.areEnough) return;
    const { type = CUSTOM } = frame;
    const rule = toolRule(type);
    const refuse = (detail: string) => this.faults.add({ pointer: `${pointerTo(frame)}/type`, detail });
    if (rule === undefined) return refuse(DETAILS.toolUnknown);
    if (rule !== 'client') return refuse(rule === 'beta' ? DETAILS.toolBeta(type) : DETAILS.toolType(type));
    if (frame.memberFaults) this.faults.add(...frame.memberFaults);
    this.bound.tools++;
    if (type !== CUSTOM) this.bound.providerTools++;
  }

  /** All tools. */
  endTools(frame: Frame): void {
    if (frame.parent?.rule === 'elsewhere' && frame.index >= 0)
      this.faults.add({ pointer: pointerTo(frame), detail: DETAILS.elsewhere('tools') });
  }

  /** Keeps a fault until the tool's type is known. A tool with one is refused in any case: if the faults are enough, so are these. */
  private keep(tool: Frame, frame: Frame, detail: Detail): void {
    if (!this.faults.areEnough) addFault((tool.memberFaults ??= []), frame, detail);
  }
}

/** Maximum number of faults in an error. */
const MAX_FAULTS = 20;
/** A fault whose pointer is longer is the last one: a pointer into 100 nested objects has 20 kB, and 20 of them take long, too. */
const LONG_POINTER = 1_000;

/** The detail of a fault, or what makes it. */
type Detail = string | (() => string);

/**
 * Adds a fault of a frame's current member or item, unless there are enough. Only then is it described, which takes long where names are
 * many or nested deeply: a hostile body has half a million faults.
 */
function addFault(faults: Fault[], frame: Frame, detail: Detail): void {
  if (!areEnough(faults))
    faults.push({ pointer: pointerInto(frame), detail: typeof detail === 'string' ? detail : detail() });
}

/** Whether further faults are not reported. */
function areEnough(faults: Fault[]): boolean {
  return faults.length >= MAX_FAULTS || (faults.at(-1)?.pointer.length ?? 0) > LONG_POINTER;
}

/** Collects the faults of a request, in order. */
export class RequestFaults {
  /** JSON pointer to a reference to a file in the operator's workspace. A fault only if there is no other. */
  foreignFile?: string;
  private readonly faults: Fault[] = [];

  get areEnough(): boolean {
    return areEnough(this.faults);
  }

  /** Adds a fault of the frame's current member or item. */
  at(frame: Frame, detail: Detail): void {
    addFault(this.faults, frame, detail);
  }

  add(...faults: Fault[]): void {
    this.faults.push(...faults.slice(0, MAX_FAULTS - this.faults.length));
  }

  /** @throws ServiceError invalid_request if there are faults */
  throwIfAny(): void {
    const { faults, foreignFile } = this;
    if (faults.length === 0 && foreignFile !== undefined)
      faults.push({ pointer: foreignFile, detail: DETAILS.foreignFile });
    if (faults.length === 0) return;
    const detail = faults.map((fault) => fault.detail).join('; ');
    throw new ServiceError('invalid_request', detail, { errors: faults });
  }
}

/** Fields of other interfaces, and the names of their counterparts here. */
const MEANT = new Map([
  ['prompt', 'messages'],
  ['input', 'messages'],
  ['instructions', 'system'],
]);

/** Details of the faults, by field. */
export const DETAILS = {
  /** @param ignored names of the body that have no effect */
  missing: (ignored: readonly string[]) => {
    const sent = similarName('messages', ignored) ?? ignored.find((name) => MEANT.get(name) === 'messages');
    const hint = sent === undefined ? '' : ` (you sent ${sent}; did you mean messages?)`;
    return `messages is required, an array such as [{"role":"user","content":"Hello"}]${hint}`;
  },
  messages: 'messages must be an array of objects with role and content',
  noMessages: 'messages must have at least one message',
  tooManyMessages: (most: number) => `messages must have at most ${most} messages`,
  message: 'a message must be an object with role and content',
  role: 'role must be user, assistant or system',
  content: 'content must be a string or an array of content blocks',
  emptyContent: 'content must not be empty',
  block: 'a content block must be an object with a type',
  system: 'system must be a string or an array of text blocks',
  systemBlock: 'a block of system must be an object with the type text',
  stream: 'stream must be true or false',
  maxTokens: 'max_tokens must be a whole number of at least 1',
  budget: 'budget_tokens must be a whole number of at least 1',
  maxTokensText: 'max_tokens must be a number, not a string: send it without quotes',
  foreignFile: 'files uploaded to the AI provider cannot be referred to; send the content itself',
  twice: (name: string) => `${name} is given twice`,
  unpriced: (name: string) => `${name} is not available here; leave it out`,
  beta: (name: string) => `${name} belongs to a beta of the AI provider, which is not available here; leave it out`,
  unknown: (name: string) => {
    const meant = MEANT.get(name) ?? similarName(name, SDK_FIELDS.known);
    return `${name} is not known here; ${meant === undefined ? 'leave it out' : `did you mean ${meant}?`}`;
  },
  elsewhere: (name: string) => `${name} does not work here; send the request to POST /ai/v1/messages`,
  tools: 'tools must be an array of objects',
  toolType: (type: string) => `tools of the type ${type} are not available here; leave them out`,
  toolBeta: (type: string) =>
    `tools of the type ${type} belong to a beta of the AI provider, which is not available here`,
  toolUnknown: 'this type of tool is not known here',
  callers: 'only direct is available here',
  serviceTier: 'service_tier must be auto or standard_only; others are not available here',
} as const;
