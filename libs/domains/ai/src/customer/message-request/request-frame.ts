import type { Fault } from './request-faults';

/**
 * What an open object or array of a request is:
 * - `body`, `messages`, `message`: the request, its messages, one of them;
 * - `content`: the content blocks of a message, `blocks`: those of a block (a tool's result, a document);
 * - `block`, `part`: a content block, an object that is part of one; `source`, `cache`: the parts that are judged;
 * - `list`: an array that is part of a block.
 */
export type FrameKind =
  'body' | 'messages' | 'message' | 'content' | 'blocks' | 'block' | 'part' | 'source' | 'cache' | 'list';

/** An object or array of a request that is being read, and what is known of it so far. */
export interface Frame {
  kind: FrameKind;
  isArray: boolean;
  parent?: Frame;
  /** The member whose value is next, or being read. */
  key?: string;
  /** The item that is being read; -1 before the first. */
  index: number;
  /** The names that are judged and were seen, a bit for each. */
  seen: number;
  /** Of a block or a part: its `type`, if it is a text. */
  type?: string;
  /** Of a block: what its `source` says. Of a source: its own. */
  sourceType?: string;
  sourceBytes: number;
  /** Of a message. */
  role?: string;
  content?: 'missing' | 'empty' | 'given';
  /** Of a message: what is wrong with its content, and of `messages`: what is wrong unless the last message was the last. */
  faults?: Fault[];
}

/** A frame of which nothing is known yet. */
export function newFrame(kind: FrameKind, isArray: boolean, parent?: Frame): Frame {
  return { kind, isArray, parent, index: -1, seen: 0, sourceBytes: 0 };
}

/** What an object or array is, by where it stands; nothing if its inside is of no concern. */
export function kindInside(parent: Frame | undefined, isArray: boolean): FrameKind | undefined {
  switch (parent?.kind) {
    case undefined:
      return 'body';
    case 'body':
      return parent.key === 'messages' && isArray ? 'messages' : undefined;
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

function kindOfPart({ kind, key }: Frame, isArray: boolean): FrameKind | undefined {
  // A tool's input is data for the tool: nothing in it is a block.
  if (key === 'input' && kind === 'block') return undefined;
  if (key === 'cache_control') return 'cache';
  if (key === 'source' && kind === 'block' && !isArray) return 'source';
  if (!isArray) return 'part';
  return key === 'content' ? 'blocks' : 'list';
}

/** Where a frame stands in the body, as a JSON pointer. */
export function pointerTo(frame: Frame | undefined): string {
  let pointer = '';
  for (let outer = frame?.parent; outer; outer = outer.parent) pointer = segmentOf(outer) + pointer;
  return pointer;
}

/** The pointer to what is being read in a frame: its present member or item. */
export function pointerInto(frame: Frame): string {
  return pointerTo(frame) + segmentOf(frame);
}

function segmentOf({ isArray, index, key = '' }: Frame): string {
  return isArray ? `/${index}` : `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}
