import { ServiceError } from '@app/errors';
import type { CacheUse } from '../ledger/hold-book.types';
import { surveyContent } from './content-survey';
import { inputTokensBound } from './input-tokens-bound';
import { memberSpans } from './json-spans';

/** A valid request for a message, ready to be passed on. */
export interface MessageRequest {
  /** The JSON of `messages`, byte for byte as the caller wrote it. */
  messages: Buffer;
  /** The JSON of `system`, likewise. */
  system?: Buffer;
  maxTokens?: number;
  /** No model can count more input tokens than this. */
  inputTokens: number;
  cache: CacheUse;
}

interface Fault {
  pointer: string;
  detail: string;
}

interface Message {
  role: unknown;
  content: unknown;
}

const FORWARDED = new Set(['messages', 'system']);
const ROLES = new Set<unknown>(['user', 'assistant', 'system']);
/** The upstream's own limit. */
const MOST_MESSAGES = 100_000;
const MOST_FAULTS = 20;

/**
 * Validates the body of a message request (specification §2). Whatever else it holds, `model`, `stream` and `tools`
 * included, is ignored.
 * @param bytes the body as it came; `body` what JSON.parse made of it.
 * @param contextTokens input tokens that no request can exceed.
 * @throws ServiceError invalid_request
 */
export function readMessageRequest(
  bytes: Buffer,
  body: Record<string, unknown>,
  contextTokens: number,
): MessageRequest {
  const faults = [...messagesFaults(body.messages), ...optionFaults(body)];
  if (faults.length > 0) throw invalid(faults);
  const survey = surveyContent(contentsOf(body.messages as Message[]));
  if (survey.foreignFile !== undefined) {
    throw invalid([
      {
        pointer: survey.foreignFile,
        detail: 'files uploaded to the AI provider cannot be referred to; send the content itself',
      },
    ]);
  }
  const spans = memberSpans(bytes, FORWARDED);
  const span = (name: string) => {
    const found = spans.get(name);
    return found && bytes.subarray(found.start, found.end);
  };
  const messages = span('messages') as Buffer;
  const system = span('system');
  return {
    messages,
    system,
    maxTokens: body.max_tokens as number | undefined,
    inputTokens: inputTokensBound({ bytes: messages.length + (system?.length ?? 0), survey, contextTokens }),
    cache: survey.cache,
  };
}

function* contentsOf(messages: Message[]): Generator<{ content: unknown; pointer: string }> {
  for (const [index, { content }] of messages.entries()) {
    if (typeof content !== 'string') yield { content, pointer: `/messages/${index}/content` };
  }
}

function messagesFaults(messages: unknown): Fault[] {
  const pointer = '/messages';
  if (!Array.isArray(messages)) return [{ pointer, detail: 'messages must be an array' }];
  if (messages.length === 0) return [{ pointer, detail: 'messages must have at least one message' }];
  if (messages.length > MOST_MESSAGES)
    return [{ pointer, detail: `messages must have at most ${MOST_MESSAGES} messages` }];
  const faults: Fault[] = [];
  for (const [index, message] of messages.entries()) {
    faults.push(...messageFaults(message, `${pointer}/${index}`, index === messages.length - 1));
    if (faults.length >= MOST_FAULTS) break;
  }
  return faults;
}

function messageFaults(message: unknown, pointer: string, last: boolean): Fault[] {
  if (!isObject(message)) return [{ pointer, detail: 'a message must be an object with role and content' }];
  const { role, content } = message;
  const faults: Fault[] = [];
  if (!ROLES.has(role)) faults.push({ pointer: `${pointer}/role`, detail: 'role must be user, assistant or system' });
  // The last message may be the empty beginning of the model's answer.
  const mayBeEmpty = last && role === 'assistant';
  if (typeof content === 'string' || Array.isArray(content)) {
    if (content.length === 0 && !mayBeEmpty)
      faults.push({ pointer: `${pointer}/content`, detail: 'content must not be empty' });
    if (Array.isArray(content)) faults.push(...blockFaults(content, `${pointer}/content`));
  } else {
    faults.push({ pointer: `${pointer}/content`, detail: 'content must be a text or an array of content blocks' });
  }
  return faults;
}

function blockFaults(blocks: unknown[], pointer: string): Fault[] {
  const index = blocks.findIndex((block) => !isObject(block) || typeof block.type !== 'string');
  return index < 0 ? [] : [{ pointer: `${pointer}/${index}`, detail: 'a content block must be an object with a type' }];
}

function optionFaults({ system, max_tokens: maxTokens }: Record<string, unknown>): Fault[] {
  const faults: Fault[] = [];
  if (system !== undefined && typeof system !== 'string')
    faults.push({ pointer: '/system', detail: 'system must be a text' });
  if (maxTokens !== undefined && !(Number.isInteger(maxTokens) && (maxTokens as number) >= 1)) {
    faults.push({ pointer: '/max_tokens', detail: 'max_tokens must be a whole number of at least 1' });
  }
  return faults;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function invalid(errors: Fault[]): ServiceError {
  return new ServiceError('invalid_request', errors.map(({ detail }) => detail).join('; '), { errors });
}
