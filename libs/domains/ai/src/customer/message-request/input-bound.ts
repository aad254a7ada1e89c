import type { CacheUse } from '../../ledger/credit-ledger.port';

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

/** Tokens that the model's own framing of a request can add to those of its parts. */
const FRAME_TOKENS = 256;
/**
 * The most tokens that one image can have: the provider scales images down to 2,576 pixels on the long edge at most and
 * counts patches of 28 × 28 pixels: 92 × 52.
 */
const IMAGE_TOKENS = 4_784;
/** The most by which the model's form of tool calls, and of documents that are cut for citations, can be longer than their JSON, as a factor. */
const EXPANSION = 4;
/**
 * The provider's own system prompts for tools and for citations, and its instructions for a structured answer: about 530 tokens,
 * with room for models to come.
 */
const PROMPT_TOKENS = 2_048;
/** A tool or a set of tools that the provider defines: up to 735 tokens for one in its price list; a set has thirty. */
const PROVIDER_TOOL_TOKENS = 32_768;

/** The fields of a content block that its cost depends on; undefined where a value has the wrong type. */
export interface SurveyedBlock {
  type?: string;
  sourceType?: string;
  /** Bytes of `source.data`. */
  sourceBytes: number;
}

/**
 * The upper bound of a request's input tokens: counts, while the request is read, the parts that can cost more than their
 * text does.
 */
export class InputBound {
  /** The caching that the request asks for, with the higher price if it asks for both. */
  cache: CacheUse = 'none';
  /** Tools that are offered to the model, and those of them that the provider defines itself. */
  tools = 0;
  providerTools = 0;
  /** Whether the answer may cite a document: the model sees it in pieces, each with a mark. */
  citations = false;
  private images = 0;
  /** Bytes of base64 image data. They are not text: an image costs by its size. */
  private imageBytes = 0;
  /** Whether the request has tool calls or results, which the model sees in a longer form than their JSON. */
  private usesTools = false;
  /**
   * Whether a block's tokens are not bounded by its bytes, such as a PDF, which is compressed, or an unknown block
   * type.
   */
  private unbounded = false;

  addBlock({ type, sourceType, sourceBytes }: SurveyedBlock): void {
    if (!BOUNDED_BY_BYTES.has(type)) this.unbounded = true;
    if (type === 'tool_use' || type === 'tool_result') this.usesTools = true;
    if (type === 'document' && !INLINE_DOCUMENTS.has(sourceType)) this.unbounded = true;
    if (type === 'image') {
      this.images++;
      if (sourceType === 'base64') this.imageBytes += sourceBytes;
    }
  }

  /** Adds a `cache_control`, and its time to live once it is known. */
  addCacheControl(ttl?: string): void {
    if (ttl === '1h') this.cache = '1h';
    else if (this.cache === 'none') this.cache = '5m';
  }

  /**
   * The most input tokens that the request can be charged for. A token stands for at least one byte of text, and JSON never
   * writes a text in fewer bytes than UTF-8; the JSON around the texts is longer than the marks that the model sees
   * instead. Content that bytes do not bound (PDF pages, unknown block types) is bounded by the context window alone: the
   * provider refuses a longer request, at no cost.
   */
  tokens(request: {
    /** Bytes of `messages` and `system`. */
    contentBytes: number;
    /** Bytes of the other forwarded fields. */
    optionBytes: number;
    /** Whether the answer must follow a schema. */
    structured: boolean;
    /** The context window: no request can have more. */
    contextTokens: number;
  }): number {
    const { contentBytes, optionBytes, structured, contextTokens } = request;
    if (this.unbounded) return contextTokens;
    const text = Math.max(0, contentBytes - this.imageBytes) * (this.usesTools || this.citations ? EXPANSION : 1);
    const options =
      optionBytes * EXPANSION +
      (this.tools > 0 ? PROMPT_TOKENS : 0) +
      (this.citations ? PROMPT_TOKENS : 0) +
      (structured ? PROMPT_TOKENS : 0) +
      this.providerTools * PROVIDER_TOOL_TOKENS;
    return Math.min(contextTokens, FRAME_TOKENS + text + this.images * IMAGE_TOKENS + options);
  }
}
