import { type Block } from './request/prompt';

/** An image, a page of a document or anything else that is not text never counts as more than this. */
export const LARGEST_MEDIA_COUNT = 1500;

/**
 * The tokens of a text: a quarter of its UTF-8 bytes, rounded up. Like the real tokenizer it never counts more than one
 * token per byte, which callers rely on.
 */
export function countText(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / 4);
}

/** The tokens of a content block or of a tool. Keys without prompt text do not count. */
export function countBlock(block: Block): number {
  switch (block.type) {
    case 'text':
      return countValue(block.text);
    case 'thinking':
      return countValue(block.thinking);
    case 'redacted_thinking':
      return countValue(block.data);
    case 'tool_use':
    case 'server_tool_use':
      return countValue(block.name) + countText(JSON.stringify(block.input ?? {}));
    case 'image':
      return countSource(block.source);
    case 'document':
      return countValue(block.title) + countValue(block.context) + countSource(block.source);
    case 'search_result':
      return countValue(block.title) + countValue(block.source) + countValue(block.content);
    case 'container_upload':
      return 0;
    default:
      return countValue(block.content);
  }
}

export function countTool(tool: object): number {
  return countText(JSON.stringify(tool));
}

/** A text, a list of blocks, or one object that is not a block (the result of a server tool). */
export function countValue(value: unknown): number {
  if (typeof value === 'string') return countText(value);
  if (Array.isArray(value)) return value.reduce((sum: number, item: unknown) => sum + countValue(item), 0);
  if (isBlock(value)) return countBlock(value);
  return value === undefined || value === null ? 0 : countText(JSON.stringify(value));
}

function countSource(source: unknown): number {
  if (!isBlock(source)) return 0;
  if (source.type === 'text') return countValue(source.data);
  if (source.type === 'content') return countValue(source.content);
  if (source.type === 'base64') return Math.min(LARGEST_MEDIA_COUNT, countValue(source.data));
  return LARGEST_MEDIA_COUNT;
}

function isBlock(value: unknown): value is Block {
  return typeof value === 'object' && value !== null && typeof (value as Block).type === 'string';
}
