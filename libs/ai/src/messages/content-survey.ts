import type { CacheUse } from '../ledger/hold-book.types';

/** What a request's content blocks say about what they can cost. */
export interface ContentSurvey {
  cache: CacheUse;
  images: number;
  /** Characters of base64 image data: they are no text, an image costs by its size. */
  imageCharacters: number;
  /** Tool calls and results are rendered for the model in a longer form than their JSON. */
  usesTools: boolean;
  /** A block whose tokens its bytes do not bound, such as a PDF, which is compressed, or a kind unknown here. */
  unbounded: boolean;
  /** Where a block refers to a file in the operator's own workspace. */
  foreignFile?: string;
}

const BOUNDED_BY_BYTES = new Set([
  'text',
  'image',
  'document',
  'search_result',
  'thinking',
  'redacted_thinking',
  'tool_use',
  'tool_result',
]);
const INLINE_DOCUMENTS = new Set(['text', 'content']);

interface Visit {
  value: object;
  pointer: string;
  /** Whether the value is a content block, as opposed to a part of one. */
  block: boolean;
}

/**
 * Looks through the content of messages, nested blocks included. An explicit stack, because the depth is the caller's
 * choice.
 */
export function surveyContent(contents: Iterable<{ content: unknown; pointer: string }>): ContentSurvey {
  const survey: ContentSurvey = { cache: 'none', images: 0, imageCharacters: 0, usesTools: false, unbounded: false };
  const stack: Visit[] = [];
  for (const { content, pointer } of contents) pushItems(stack, content, pointer);
  for (let visit = stack.pop(); visit; visit = stack.pop()) {
    const { value, pointer } = visit;
    if (Array.isArray(value)) {
      value.forEach((item: unknown, index) => pushPart(stack, item, `${pointer}/${index}`));
      continue;
    }
    const part = value as Record<string, unknown>;
    if (visit.block) surveyBlock(survey, part);
    if (part.type === 'container_upload' || Object.hasOwn(part, 'file_id')) survey.foreignFile ??= pointer;
    surveyCacheControl(survey, part.cache_control);
    for (const [key, inner] of Object.entries(part)) {
      // A tool's input is data for the tool: nothing in it is a block.
      if (key === 'input' && visit.block) continue;
      if (key === 'content') pushItems(stack, inner, `${pointer}/content`);
      else pushPart(stack, inner, `${pointer}/${key}`);
    }
  }
  return survey;
}

function pushItems(stack: Visit[], content: unknown, pointer: string): void {
  if (!Array.isArray(content)) return pushPart(stack, content, pointer);
  content.forEach((item: unknown, index) => {
    if (typeof item === 'object' && item !== null)
      stack.push({ value: item, pointer: `${pointer}/${index}`, block: true });
  });
}

function pushPart(stack: Visit[], value: unknown, pointer: string): void {
  if (typeof value === 'object' && value !== null) stack.push({ value, pointer, block: false });
}

function surveyBlock(survey: ContentSurvey, block: Record<string, unknown>): void {
  const source =
    typeof block.source === 'object' && block.source !== null ? (block.source as Record<string, unknown>) : {};
  if (typeof block.type !== 'string' || !BOUNDED_BY_BYTES.has(block.type)) survey.unbounded = true;
  if (block.type === 'tool_use' || block.type === 'tool_result') survey.usesTools = true;
  if (block.type === 'document' && !(typeof source.type === 'string' && INLINE_DOCUMENTS.has(source.type)))
    survey.unbounded = true;
  if (block.type === 'image') {
    survey.images++;
    if (source.type === 'base64' && typeof source.data === 'string') survey.imageCharacters += source.data.length;
  }
}

function surveyCacheControl(survey: ContentSurvey, control: unknown): void {
  if (typeof control !== 'object' || control === null) return;
  if ((control as { ttl?: unknown }).ttl === '1h') survey.cache = '1h';
  else if (survey.cache === 'none') survey.cache = '5m';
}
