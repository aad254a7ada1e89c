/** The request is one that the real API refuses with 400 `invalid_request_error`. */
export class InvalidRequest extends Error {}

/** A content block as the client sent it, unknown keys included. */
export type Block = Record<string, unknown> & { type: string };

interface Turn {
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
  thinking?: { type?: unknown };
  /** The form of the answer. */
  output_config?: { format?: { type?: unknown; schema?: unknown } | null };
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

const BLOCK_TYPES = new Set([
  'text',
  'image',
  'document',
  'search_result',
  'thinking',
  'redacted_thinking',
  'tool_use',
  'tool_result',
  'server_tool_use',
  'web_search_tool_result',
  'web_fetch_tool_result',
  'code_execution_tool_result',
  'bash_code_execution_tool_result',
  'text_editor_code_execution_tool_result',
  'tool_search_tool_result',
  'container_upload',
]);
const ROLES = new Set(['user', 'assistant', 'system']);
const LARGEST_TURN_COUNT = 100_000;
const MAX_BREAKPOINTS = 4;

/** Parses a body, with the refusals of the real API. Unknown keys are allowed. */
export function readPrompt(body: Buffer, needsMaxTokens: boolean): Prompt {
  const prompt = parse(body);
  if (typeof prompt.model !== 'string' || prompt.model === '') throw new InvalidRequest('model: Field required');
  if (needsMaxTokens) checkMaxTokens(prompt.max_tokens);
  checkMessages(prompt.messages);
  checkSystem(prompt.system);
  if (prompt.tools !== undefined && !Array.isArray(prompt.tools))
    throw new InvalidRequest('tools: Input should be a valid list');
  checkBreakpoints(prompt);
  if (prompt.stream !== undefined && typeof prompt.stream !== 'boolean')
    throw new InvalidRequest('stream: Input should be a valid boolean');
  return prompt;
}

function parse(body: Buffer): Prompt {
  let value: unknown;
  try {
    value = JSON.parse(body.toString('utf8'));
  } catch {
    throw new InvalidRequest('The request body is not valid JSON');
  }
  if (!isObject(value)) throw new InvalidRequest('The request body is not a JSON object');
  return value as unknown as Prompt;
}

function checkMaxTokens(value: unknown): void {
  if (value === undefined) throw new InvalidRequest('max_tokens: Field required');
  if (!Number.isSafeInteger(value)) throw new InvalidRequest('max_tokens: Input should be a valid integer');
  if ((value as number) < 1) throw new InvalidRequest('max_tokens: Input should be greater than or equal to 1');
}

function checkMessages(value: unknown): void {
  if (value === undefined) throw new InvalidRequest('messages: Field required');
  if (!Array.isArray(value)) throw new InvalidRequest('messages: Input should be a valid list');
  if (value.length === 0) throw new InvalidRequest('messages: at least one message is required');
  if (value.length > LARGEST_TURN_COUNT)
    throw new InvalidRequest(`messages: at most ${LARGEST_TURN_COUNT} messages are allowed`);
  value.forEach((turn: unknown, index) => {
    const at = `messages.${index}`;
    if (!isObject(turn)) throw new InvalidRequest(`${at}: Input should be a valid dictionary`);
    if (!ROLES.has(turn.role as string)) throw new InvalidRequest(`${at}.role: must be user, assistant or system`);
    checkContent(turn.content, `${at}.content`);
  });
  if ((value[0] as { role: string }).role !== 'user')
    throw new InvalidRequest('messages: first message must use the "user" role');
}

function checkContent(value: unknown, at: string): void {
  if (typeof value === 'string') {
    if (value === '') throw new InvalidRequest(`${at}: must not be empty`);
    return;
  }
  if (!Array.isArray(value)) throw new InvalidRequest(`${at}: Input should be a valid string or list`);
  if (value.length === 0) throw new InvalidRequest(`${at}: must not be empty`);
  value.forEach((block: unknown, index) => checkBlock(block, `${at}.${index}`));
}

function checkBlock(block: unknown, at: string): void {
  if (!isObject(block)) throw new InvalidRequest(`${at}: Input should be a valid dictionary`);
  if (!BLOCK_TYPES.has(block.type as string)) throw new InvalidRequest(`${at}.type: unknown block type`);
  if (block.type === 'text' && (typeof block.text !== 'string' || block.text === '')) {
    throw new InvalidRequest(`${at}.text: text content blocks must be non-empty`);
  }
  checkCacheControl(block.cache_control, `${at}.cache_control`);
}

function checkSystem(value: unknown): void {
  if (value === undefined || typeof value === 'string') return;
  if (!Array.isArray(value)) throw new InvalidRequest('system: Input should be a valid string or list');
  value.forEach((block: unknown, index) => {
    checkBlock(block, `system.${index}`);
    if ((block as Block).type !== 'text')
      throw new InvalidRequest(`system.${index}.type: only text blocks are allowed`);
  });
}

function checkCacheControl(value: unknown, at: string): void {
  if (value === undefined || value === null) return;
  if (!isObject(value) || value.type !== 'ephemeral') throw new InvalidRequest(`${at}.type: must be ephemeral`);
  if (value.ttl !== undefined && value.ttl !== '5m' && value.ttl !== '1h') {
    throw new InvalidRequest(`${at}.ttl: must be 5m or 1h`);
  }
}

function checkBreakpoints(prompt: Prompt): void {
  checkCacheControl(prompt.cache_control, 'cache_control');
  const blocks = [prompt.system ?? [], ...prompt.messages.map((turn) => turn.content)].flatMap((content) =>
    typeof content === 'string' ? [] : content,
  );
  const marked = [...(prompt.tools ?? []), ...blocks].filter((part) => (part as Block).cache_control).length;
  if (marked > MAX_BREAKPOINTS) {
    throw new InvalidRequest(
      `A maximum of ${MAX_BREAKPOINTS} blocks with cache_control may be provided. Found ${marked}.`,
    );
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Versions of the API that a client may ask for. */
export const API_VERSIONS = ['2023-06-01', '2026-10-21'] as const;
export type ApiVersion = (typeof API_VERSIONS)[number];

const REMOVED_PARAMETERS = ['temperature', 'top_p', 'top_k'];

/** The rules of 2026-10-21 that 2023-06-01 does not have. */
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
