import type { CacheUse } from '../../ledger/token-usage';

/** Facts about a request's content blocks that decide what they can cost. */
export interface ContentSurvey {
  cache: CacheUse;
  images: number;
  /** Bytes of base64 image data. They are not text: an image costs by its size. */
  imageBytes: number;
  /** Whether the request has tool calls or results, which the model sees in a longer form than their JSON. */
  usesTools: boolean;
  /** Tools that are offered to the model, and those of them that the provider defines itself. */
  tools: number;
  providerTools: number;
  /** Whether the answer must follow a schema. */
  structured: boolean;
  /**
   * Whether a block's tokens are not bounded by its bytes, such as a PDF, which is compressed, or an unknown block
   * type.
   */
  unbounded: boolean;
  /** JSON pointer to a block that refers to a file in the operator's workspace. */
  foreignFile?: string;
}

/** The fields of a content block that the survey needs; undefined where a value has the wrong type. */
export interface SurveyedBlock {
  type?: string;
  sourceType?: string;
  /** Bytes of `source.data`. */
  sourceBytes: number;
}

const BOUNDED_BY_BYTES = new Set<string | undefined>([
  'text',
  'image',
  'document',
  'search_result',
  'thinking',
  'redacted_thinking',
  'tool_use',
  'tool_result',
]);
const INLINE_DOCUMENTS = new Set<string | undefined>(['text', 'content']);

/** The survey of a request without content blocks. */
export function emptySurvey(): ContentSurvey {
  return {
    cache: 'none',
    images: 0,
    imageBytes: 0,
    usesTools: false,
    tools: 0,
    providerTools: 0,
    structured: false,
    unbounded: false,
  };
}

/** Adds a block to the survey. */
export function surveyBlock(survey: ContentSurvey, { type, sourceType, sourceBytes }: SurveyedBlock): void {
  if (!BOUNDED_BY_BYTES.has(type)) survey.unbounded = true;
  if (type === 'tool_use' || type === 'tool_result') survey.usesTools = true;
  if (type === 'document' && !INLINE_DOCUMENTS.has(sourceType)) survey.unbounded = true;
  if (type === 'image') {
    survey.images++;
    if (sourceType === 'base64') survey.imageBytes += sourceBytes;
  }
}

/** Adds a `cache_control` to the survey: its time to live, once it is known. */
export function surveyCacheControl(survey: ContentSurvey, ttl?: string): void {
  if (ttl === '1h') survey.cache = '1h';
  else if (survey.cache === 'none') survey.cache = '5m';
}
