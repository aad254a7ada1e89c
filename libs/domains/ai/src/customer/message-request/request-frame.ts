import { ServiceError } from '@platform/errors';
import type { FieldRule, JudgedPlace } from './request-fields';

/**
 * An open object or array of a request, by its place:
 * - `body`, `messages`, `message`: the request, its messages, one of them;
 * - `content`: the content blocks of a message, `blocks`: those of a block (a tool's result, a document);
 * - `block`, `part`: a content block, an object that is part of one; `source`, `cache`: the parts that are judged;
 * - `list`: an array that is part of a block;
 * - `system`: the blocks of the system prompt;
 * - `tools`, `tool`, `callers`: the tools, one of them, and its permitted callers;
 * - `thinking`, `output_config`: the fields of these names.
 */
export type FrameKind =
  | 'body'
  | 'messages'
  | 'message'
  | 'content'
  | 'blocks'
  | 'block'
  | 'part'
  | 'source'
  | 'cache'
  | 'list'
  | 'system'
  | 'tools'
  | 'callers'
  | Exclude<JudgedPlace, 'body'>;

/** An object or array of a request that is being parsed, and its members so far. */
export interface Frame {
  kind: FrameKind;
  isArray: boolean;
  parent?: Frame;
  /** The member whose value is next or being parsed. */
  key?: string;
  /** Index of the item that is being parsed; -1 before the first. */
  index: number;
  /** Names that were seen of those that may stand once only: a bit each, or a set if the members have rules. */
  seen: number;
  names?: Set<string>;
  /** The rule of the current member. */
  rule?: FieldRule;
  /** Of a block or a part: its `type`, if that is a text. */
  type?: string;
  /** The type of the `source`: of a block, that of its source. */
  sourceType?: string;
  sourceBytes: number;
  /** Of a message. */
  role?: string;
  content?: 'empty' | 'given';
  /**
   * Of a message: the faults of its content. Of `messages`: the faults that apply unless the last message was the last
   * one. Of a tool: the faults that apply unless its type is refused.
   */
  faults?: Fault[];
}

export function newFrame(kind: FrameKind, isArray: boolean, parent?: Frame): Frame {
  return { kind, isArray, parent, index: -1, seen: 0, sourceBytes: 0 };
}

/** The kind of an object or array by its place; undefined if its content is ignored. */
export function kindInside(parent: Frame | undefined, isArray: boolean): FrameKind | undefined {
  switch (parent?.kind) {
    case undefined:
      return 'body';
    case 'body':
      return kindInBody(parent, isArray);
    case 'system':
      return isArray ? undefined : 'block';
    case 'tools':
      return isArray ? undefined : 'tool';
    case 'tool':
      if (parent.key === 'cache_control' && !isArray) return 'cache';
      return parent.key === 'allowed_callers' && isArray ? 'callers' : undefined;
    case 'callers':
    case 'thinking':
    case 'output_config':
      return undefined;
    case 'messages':
      return isArray ? undefined : 'message';
    case 'message':
      return parent.key === 'content' && isArray ? 'content' : undefined;
    case 'content':
      return isArray ? undefined : 'block';
    case 'blocks':
      return isArray ? 'list' : 'block';
    default:
      return parent?.isArray === false ? kindOfPart(parent, isArray) : isArray ? 'list' : 'part';
  }
}

function kindInBody({ key, rule }: Frame, isArray: boolean): FrameKind | undefined {
  if (rule === 'own' && isArray) return key === 'messages' || key === 'system' ? key : undefined;
  if ((rule === 'forwarded' || rule === 'elsewhere') && key === 'tools' && isArray) return key;
  if (rule !== 'forwarded' || isArray) return undefined;
  if (key === 'cache_control') return 'cache';
  return key === 'thinking' || key === 'output_config' ? key : undefined;
}

function kindOfPart({ kind, key }: Frame, isArray: boolean): FrameKind | undefined {
  // A tool's input is data for the tool and has no content blocks.
  if (key === 'input' && kind === 'block') return undefined;
  if (key === 'cache_control') return 'cache';
  if (key === 'source' && kind === 'block' && !isArray) return 'source';
  if (!isArray) return 'part';
  return key === 'content' ? 'blocks' : 'list';
}

/** The place of a frame in the body, as a JSON pointer. */
export function pointerTo(frame: Frame | undefined): string {
  let pointer = '';
  for (let outer = frame?.parent; outer; outer = outer.parent) pointer = segmentOf(outer) + pointer;
  return pointer;
}

/** The pointer to the current member or item of a frame. */
export function pointerInto(frame: Frame): string {
  return pointerTo(frame) + segmentOf(frame);
}

function segmentOf({ isArray, index, key = '' }: Frame): string {
  return isArray ? `/${index}` : `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

/** A fault in a part of a request; `pointer` is a JSON pointer (RFC 6901). */
export interface Fault {
  pointer: string;
  detail: string;
}

/** Maximum number of faults in an error. */
const MAX_FAULTS = 20;

/** Collects the faults of a request, in order. */
export class RequestFaults {
  /** JSON pointer to a reference to a file in the operator's workspace. A fault only if there is no other. */
  foreignFile?: string;
  private readonly faults: Fault[] = [];

  add(...faults: Fault[]): void {
    this.faults.push(...faults.slice(0, MAX_FAULTS - this.faults.length));
  }

  /** Adds a fault of the current member or item of a frame. */
  addInto(frame: Frame, detail: string): void {
    this.add({ pointer: pointerInto(frame), detail });
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

/** Details of the faults, by field. */
export const DETAILS = {
  missing: 'messages is required, an array such as [{"role":"user","content":"Hello"}]',
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
  maxTokensText: 'max_tokens must be a number, not a string: send it without quotes',
  foreignFile: 'files uploaded to the AI provider cannot be referred to; send the content itself',
  twice: (name: string) => `${name} is given twice`,
  unpriced: (name: string) => `${name} has no price here; leave it out`,
  beta: (name: string) => `${name} belongs to a beta of the AI provider, which is not available here; leave it out`,
  unknown: (name: string) => `${name} is not known here; leave it out`,
  elsewhere: (name: string) => `${name} does not work here; send the request to POST /ai/v1/messages`,
  tools: 'tools must be an array of objects',
  toolType: (type: string) => `tools of the type ${type} have no price here; leave them out`,
  toolBeta: (type: string) =>
    `tools of the type ${type} belong to a beta of the AI provider, which is not available here`,
  toolUnknown: 'this type of tool is not known here',
  callers: 'only direct has a price here',
  serviceTier: 'service_tier must be auto or standard_only; others have no price here',
} as const;
