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
 * The most input tokens that a request can be charged for. A token stands for at least one byte of text, and JSON never
 * writes a text in fewer bytes than UTF-8; the JSON around the texts is longer than the marks that the model sees
 * instead. Content that bytes do not bound (PDF pages, unknown block types) is bounded by the context window alone: the
 * provider refuses a longer request, at no cost.
 */
export function inputTokensBound(request: { bytes: number; survey: ContentSurvey; contextTokens: number }): number {
  const { bytes, survey, contextTokens } = request;
  if (survey.unbounded) return contextTokens;
  const text = (bytes - survey.imageBytes) * (survey.usesTools ? TOOL_EXPANSION : 1);
  return Math.min(contextTokens, FRAME_TOKENS + text + survey.images * IMAGE_TOKENS);
}
