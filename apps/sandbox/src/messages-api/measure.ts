import { type Prompt } from './request/prompt';
import { countBlock, countText, countTool } from './token-count';

/** Input tokens by rate. The size of the prompt is the sum of the three. */
export interface InputTokens {
  uncached: number;
  cached5m: number;
  cached1h: number;
}

/** A cache breakpoint. */
export interface CacheControl {
  ttl?: '5m' | '1h';
}

/**
 * Splits the prompt at its cache breakpoints, in the order tools, system, messages: what lies before a breakpoint is
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
