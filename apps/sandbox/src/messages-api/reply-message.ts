import type { Message, StopReason, Usage } from '@anthropic-ai/sdk/resources/messages';
import { DirectiveError, Directives } from '../shared/faults/directives';
import { nextId } from '../shared/identifiers';
import { countText, type InputTokens, measure, total } from './token-count';
import { exampleOf } from './example-value';
import { lastUserText, type Prompt } from './prompt';

/** Directives of a successful reply. */
export const REPLY_DIRECTIVES = ['output-tokens', 'usage', 'cache', 'refusal', 'stop-reason', 'tool-use'] as const;

const STOP_REASONS: readonly StopReason[] = [
  'end_turn',
  'max_tokens',
  'stop_sequence',
  'tool_use',
  'pause_turn',
  'refusal',
  'model_context_window_exceeded',
];

/** A reply's text with its size and whether it was truncated. */
interface ReplyText {
  text: string;
  tokens: number;
  cutShort: boolean;
}

const ECHO_LENGTH = 400;
const CITED_LENGTH = 100;
const THOUGHT = 'This is the sandbox, which does not think.';

/** The reply to a prompt. The same prompt always gets the same content and the same usage. */
export function replyMessage(prompt: Prompt, directives: Directives): Message {
  const refused = directives.has('refusal');
  const reply = refused ? { text: '', tokens: 1, cutShort: false } : replyText(prompt, directives);
  return {
    id: nextId('msg_'),
    type: 'message',
    role: 'assistant',
    model: prompt.model,
    content: refused ? [] : [...thoughtsOf(prompt), ...contentOf(reply, prompt, directives)],
    stop_reason: refused ? 'refusal' : stopReason(reply, directives),
    stop_sequence: null,
    stop_details: refused ? { type: 'refusal', category: null, explanation: null } : null,
    container: null,
    diagnostics: null,
    usage: usage(measure(prompt), reply.tokens, directives),
  };
}

/** The thoughts of the model, for a request with `thinking`. */
function thoughtsOf({ thinking }: Prompt): Message['content'] {
  if (thinking?.type !== 'enabled' && thinking?.type !== 'adaptive') return [];
  return [{ type: 'thinking', thinking: THOUGHT, signature: Buffer.from(THOUGHT).toString('base64') }];
}

/** The first characters of each document whose citations are asked for. */
function citationsOf({ messages }: Prompt): object[] {
  const blocks = messages.flatMap(({ content }) => (typeof content === 'string' ? [] : content));
  return blocks
    .filter(({ type }) => type === 'document')
    .flatMap(({ citations, source, title = null }, index) => {
      const { type, data } = (source ?? {}) as { type?: unknown; data?: unknown };
      if ((citations as { enabled?: unknown } | undefined)?.enabled !== true) return [];
      if (type !== 'text' || typeof data !== 'string') return [];
      const cited = Array.from(data).slice(0, CITED_LENGTH).join('');
      const place = { document_index: index, document_title: title, file_id: null };
      return { type: 'char_location', cited_text: cited, ...place, start_char_index: 0, end_char_index: cited.length };
    });
}

/** As the API does, a text that cites nothing says nothing of citations. */
function contentOf(reply: ReplyText, prompt: Prompt, directives: Directives): Message['content'] {
  const citations = citationsOf(prompt);
  const texts =
    reply.text === '' ? [] : [{ type: 'text', text: reply.text, ...(citations.length > 0 && { citations }) }];
  const input = directives.json('tool-use');
  const tools = input ? [{ type: 'tool_use', id: nextId('toolu_'), ...toolCall(input) }] : [];
  return [...texts, ...tools] as Message['content'];
}

function toolCall(value: object): { name: string; input: object } {
  const { name, input } = value as { name?: unknown; input?: unknown };
  if (typeof name !== 'string' || typeof input !== 'object' || input === null)
    throw new DirectiveError('sandbox: directive "tool-use" takes {"name":"…","input":{…}}');
  return { name, input };
}

/** The reply of `count_tokens`: the whole prompt, cached or not. */
export function promptTokens(prompt: Prompt, directives: Directives): number {
  return directives.number('tokens') ?? total(measure(prompt));
}

function replyText(prompt: Prompt, directives: Directives): ReplyText {
  const maxTokens = prompt.max_tokens ?? 0;
  const wanted = directives.number('output-tokens');
  if (wanted !== undefined) return filler(wanted, maxTokens);
  const { format } = prompt.output_config ?? {};
  return format?.type === 'json_schema'
    ? shorten(JSON.stringify(exampleOf(format.schema, format.schema)), maxTokens)
    : echo(lastUserText(prompt), maxTokens);
}

function stopReason(reply: ReplyText, directives: Directives): StopReason {
  const asked = directives.text('stop-reason') ?? (directives.has('tool-use') ? 'tool_use' : undefined);
  if (asked === undefined) return reply.cutShort ? 'max_tokens' : 'end_turn';
  const known = STOP_REASONS.find((reason) => reason === asked);
  if (!known) throw new DirectiveError(`sandbox: directive "stop-reason" takes one of ${STOP_REASONS.join(', ')}`);
  return known;
}

function usage(input: InputTokens, outputTokens: number, directives: Directives): Usage {
  const cached = input.cached5m + input.cached1h;
  const read = directives.has('cache') && cacheIsRead(directives);
  const counted: Usage = {
    input_tokens: input.uncached,
    cache_creation_input_tokens: read ? 0 : cached,
    cache_read_input_tokens: read ? cached : 0,
    cache_creation: {
      ephemeral_5m_input_tokens: read ? 0 : input.cached5m,
      ephemeral_1h_input_tokens: read ? 0 : input.cached1h,
    },
    output_tokens: outputTokens,
    output_tokens_details: null,
    server_tool_use: null,
    service_tier: 'standard',
    inference_geo: null,
    speed: null,
  };
  return { ...counted, ...directives.json('usage') };
}

function cacheIsRead(directives: Directives): boolean {
  const value = directives.text('cache');
  if (value !== 'read' && value !== 'write') throw new DirectiveError('sandbox: directive "cache" takes read or write');
  return value === 'read';
}

/** Echoes a text, so that a developer sees that it arrived. */
function echo(userText: string, maxTokens: number): ReplyText {
  const words = Array.from(Directives.strip(userText)).slice(0, ECHO_LENGTH).join('');
  return shorten(`This is the sandbox, not a model. You wrote: ${words || '(no text)'}`, maxTokens);
}

/** A reply of an exact number of tokens, if `maxTokens` allows. */
function filler(tokens: number, maxTokens: number): ReplyText {
  const fitting = Math.min(tokens, maxTokens);
  return { text: 'word'.repeat(fitting), tokens: fitting, cutShort: tokens > maxTokens };
}

function shorten(text: string, maxTokens: number): ReplyText {
  const tokens = countText(text);
  if (tokens <= maxTokens) return { text, tokens, cutShort: false };
  const bytes = Buffer.from(text);
  let end = maxTokens * 4;
  // Does not cut a character in two: at most three bytes less, which is still as many tokens.
  while (((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return { text: bytes.subarray(0, end).toString('utf8'), tokens: maxTokens, cutShort: true };
}
