import type { Block, Prompt } from './prompt';

/** Input tokens by rate. The size of the prompt is the sum of the three. */
export interface InputTokens {
  uncached: number;
  cached5m: number;
  cached1h: number;
}

/** A cache breakpoint. */
interface CacheControl {
  ttl?: '5m' | '1h';
}

/** An image, a page of a document or anything else that is not text never counts as more than this. */
const LARGEST_MEDIA_COUNT = 1500;

/**
 * Splits the prompt at its cache breakpoints, in the order tools, system, messages: the part before a breakpoint is
 * written to the cache with that breakpoint's lifetime. The real minimum size of a cache entry is left out, so that
 * small prompts show cache tokens too.
 */
export function measure(prompt: Prompt): InputTokens {
  const tokens: InputTokens = { uncached: 0, cached5m: 0, cached1h: 0 };
  const add = (count: number, cacheControl: unknown) => {
    tokens.uncached += count;
    if (typeof cacheControl !== 'object' || cacheControl === null) return;
    tokens[(cacheControl as CacheControl).ttl === '1h' ? 'cached1h' : 'cached5m'] += tokens.uncached;
    tokens.uncached = 0;
  };
  for (const tool of prompt.tools ?? []) add(countTool(tool), (tool as { cache_control?: unknown }).cache_control);
  for (const content of [prompt.system ?? [], ...prompt.messages.map((turn) => turn.content)]) {
    if (typeof content === 'string') add(countText(content), undefined);
    else for (const block of content) add(countBlock(block), block.cache_control);
  }
  add(0, prompt.cache_control);
  return tokens;
}

export function total(tokens: InputTokens): number {
  return tokens.uncached + tokens.cached5m + tokens.cached1h;
}

/**
 * The tokens of a text: a quarter of its UTF-8 bytes, rounded up. Like the real tokenizer it never counts more than one
 * token per byte, which callers rely on.
 */
export function countText(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / 4);
}

/** The tokens of a content block or of a tool. Keys without prompt text do not count. */
function countBlock(block: Block): number {
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

function countTool(tool: object): number {
  return countText(JSON.stringify(tool));
}

/** A text, a list of blocks, or one object that is not a block (the result of a server tool). */
function countValue(value: unknown): number {
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
