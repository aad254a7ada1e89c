import type { ContentSurvey } from './content-survey';

/** Tokens that the model's own framing of a request can take beyond those of its parts. */
const FRAME_TOKENS = 256;
/**
 * The most one image can take: the provider scales images down to 2,576 pixels on the long edge at most and counts
 * patches of 28 × 28 pixels: 92 × 52.
 */
const IMAGE_TOKENS = 4_784;
/** How much longer the form in which tool calls are shown to the model can be than their JSON. */
const TOOL_EXPANSION = 4;

/**
 * The most input tokens a request can be charged for. A token stands for at least one byte of text, and JSON never
 * spells a text in fewer bytes than UTF-8 does; the JSON around the texts is longer than the marks that the model sees
 * instead. What bytes do not bound (PDF pages, kinds of block unknown here) is bounded by the context window alone:
 * a longer request is refused by the provider, at no cost.
 */
export function inputTokensBound(request: { bytes: number; survey: ContentSurvey; contextTokens: number }): number {
  const { bytes, survey, contextTokens } = request;
  if (survey.unbounded) return contextTokens;
  const text = (bytes - survey.imageBytes) * (survey.usesTools ? TOOL_EXPANSION : 1);
  return Math.min(contextTokens, FRAME_TOKENS + text + survey.images * IMAGE_TOKENS);
}
