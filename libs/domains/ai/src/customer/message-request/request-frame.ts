import { pointerSegment } from '@platform/errors';
import { type FieldRule, isRefused, type JudgedPlace } from './request-fields';

/** A fault in a part of a request; `pointer` is a JSON pointer (RFC 6901). */
export interface Fault {
  pointer: string;
  detail: string;
}

/**
 * An open object or array of a request, by its place:
 * - `body`, `messages`, `message`: the request, its messages, one of them;
 * - `content`: the content blocks of a message, `blocks`: those of a block (a tool's result, a document);
 * - `block`, `part`: a content block, an object or array that is part of one; `source`, `cache`, `citations`: the parts that are judged;
 * - `system`: the blocks of the system prompt;
 * - `tools`, `tool`, `callers`: the tools, one of them, and its permitted callers;
 * - `thinking`, `output_config`: the fields of these names;
 * - `refused`: an array whose field is refused unless it is empty.
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
  | 'citations'
  | 'system'
  | 'tools'
  | 'callers'
  | 'refused'
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
  /** Of a message: faults of its content. */
  contentFaults?: Fault[];
  /** Of `messages`: faults of the message before, unless it was the last one. */
  faultsUnlessLast?: Fault[];
  /** Of a tool: faults of its members, unless its type is refused. */
  memberFaults?: Fault[];
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
    case 'refused':
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
      return isArray ? 'part' : 'block';
    default:
      return parent?.isArray === false ? kindOfPart(parent, isArray) : 'part';
  }
}

function kindInBody({ key, rule }: Frame, isArray: boolean): FrameKind | undefined {
  if (rule === 'own' && isArray) return key === 'messages' || key === 'system' ? key : undefined;
  if ((rule === 'forwarded' || rule === 'elsewhere') && key === 'tools' && isArray) return key;
  if (isArray && isRefused(rule)) return 'refused';
  if (rule !== 'forwarded' || isArray) return undefined;
  if (key === 'cache_control') return 'cache';
  return key === 'thinking' || key === 'output_config' ? key : undefined;
}

function kindOfPart({ kind, key }: Frame, isArray: boolean): FrameKind | undefined {
  // A tool's input is data for the tool and has no content blocks.
  if (key === 'input' && kind === 'block') return undefined;
  if (key === 'cache_control') return 'cache';
  if (key === 'source' && kind === 'block' && !isArray) return 'source';
  if (key === 'citations' && kind === 'block' && !isArray) return 'citations';
  return key === 'content' && isArray ? 'blocks' : 'part';
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
  return pointerSegment(isArray ? index : key);
}
