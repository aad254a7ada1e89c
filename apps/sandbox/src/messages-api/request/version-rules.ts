import { type Block, type Prompt } from './prompt';
import { InvalidRequest } from './invalid-request';

/** Versions of the API that a client may ask for. */
export const API_VERSIONS = ['2023-06-01', '2026-10-21'] as const;
export type ApiVersion = (typeof API_VERSIONS)[number];

const REMOVED_PARAMETERS = ['temperature', 'top_p', 'top_k'];

/** Checks what 2026-10-21 refuses and 2023-06-01 accepts. */
export function checkVersionRules(prompt: Prompt, version: ApiVersion): void {
  if (version === '2023-06-01') return;
  for (const name of REMOVED_PARAMETERS) {
    if (name in prompt) throw new InvalidRequest(`${name}: not supported in API version ${version}`);
  }
  prompt.messages.forEach(({ role, content }, turn) => {
    if (typeof content === 'string') return;
    content.forEach((block, index) => {
      const at = `messages.${turn}.content.${index}`;
      if (role === 'assistant' && block.type === 'document')
        throw new InvalidRequest(`${at}: document blocks belong in user messages`);
      if (role === 'user' && textsOf(block).some(hasCitations))
        throw new InvalidRequest(`${at}.citations: not allowed in user messages`);
    });
  });
}

/** The text blocks of a block: itself, or those in a search result. */
function textsOf(block: Block): Block[] {
  if (block.type === 'text') return [block];
  const inside = block.type === 'search_result' ? block.content : undefined;
  return Array.isArray(inside) ? (inside as Block[]) : [];
}

function hasCitations(block: Block): boolean {
  const citations = block.citations;
  return Array.isArray(citations) && citations.length > 0;
}
