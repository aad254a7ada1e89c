/** A content block as the client sent it, unknown keys included. */
export type Block = Record<string, unknown> & { type: string };

export interface Turn {
  role: string;
  content: string | Block[];
}

/** The parts of a request that the sandbox uses. The body itself is recorded byte for byte. */
export interface Prompt {
  model: string;
  max_tokens?: number;
  messages: Turn[];
  system?: string | Block[];
  tools?: object[];
  /** Automatic caching of the whole prompt. */
  cache_control?: unknown;
  stream?: boolean;
}

/** The text of the last user turn: it may contain directives, and is echoed. */
export function lastUserText(prompt: Prompt): string {
  const turn = prompt.messages.findLast(({ role }) => role === 'user');
  if (!turn) return '';
  if (typeof turn.content === 'string') return turn.content;
  return turn.content
    .filter((block) => block.type === 'text')
    .map((block) => String(block.text))
    .join('\n');
}
