import type { ContentSurvey } from './content-survey';

/** Tokens that the model's own framing of a request can add to those of its parts. */
const FRAME_TOKENS = 256;
/**
 * The most tokens that one image can have: the provider scales images down to 2,576 pixels on the long edge at most and
 * counts patches of 28 × 28 pixels: 92 × 52.
 */
const IMAGE_TOKENS = 4_784;
/** How many times longer the model's form of tool calls can be than their JSON. */
const TOOL_EXPANSION = 4;
/**
 * The provider's own system prompt for tools, and its instructions for a structured answer: up to 530 tokens in its price
 * list, with room for models to come.
 */
const PROMPT_TOKENS = 2_048;
/** A tool or a set of tools that the provider defines: up to 735 tokens for one in its price list; a set has thirty. */
const PROVIDER_TOOL_TOKENS = 32_768;

/**
 * The most input tokens that a request can be charged for. A token stands for at least one byte of text, and JSON never
 * writes a text in fewer bytes than UTF-8; the JSON around the texts is longer than the marks that the model sees
 * instead. Content that bytes do not bound (PDF pages, unknown block types) is bounded by the context window alone: the
 * provider refuses a longer request, at no cost.
 */
export function inputTokensBound(request: {
  /** Bytes of `messages` and `system`. */
  bytes: number;
  /** Bytes of the other forwarded fields. */
  optionBytes: number;
  survey: ContentSurvey;
  contextTokens: number;
}): number {
  const { bytes, optionBytes, survey, contextTokens } = request;
  if (survey.unbounded) return contextTokens;
  const text = (bytes - survey.imageBytes) * (survey.usesTools ? TOOL_EXPANSION : 1);
  const options =
    optionBytes * TOOL_EXPANSION +
    (survey.tools > 0 ? PROMPT_TOKENS : 0) +
    (survey.structured ? PROMPT_TOKENS : 0) +
    survey.providerTools * PROVIDER_TOOL_TOKENS;
  return Math.min(contextTokens, FRAME_TOKENS + text + survey.images * IMAGE_TOKENS + options);
}
