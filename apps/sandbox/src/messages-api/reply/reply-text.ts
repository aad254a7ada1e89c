import { Directives } from '../../shared/faults/directives';
import { countText } from '../token-count';

/** A reply's text with its size and whether it was truncated. */
export interface ReplyText {
  text: string;
  tokens: number;
  cutShort: boolean;
}

const ECHO_LENGTH = 400;

/** Echoes a text, so that a developer sees that it arrived. */
export function echo(userText: string, maxTokens: number): ReplyText {
  const words = Array.from(Directives.strip(userText)).slice(0, ECHO_LENGTH).join('');
  return shorten(`This is the sandbox, not a model. You wrote: ${words || '(no text)'}`, maxTokens);
}

/** A reply of an exact number of tokens, if `maxTokens` allows. */
export function filler(tokens: number, maxTokens: number): ReplyText {
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
