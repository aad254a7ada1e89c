export {
  JsonFault,
  type JsonFaultKind,
  type JsonHandler,
  type JsonLimits,
  type JsonToken,
  JsonTokenizer,
} from './json-tokenizer';
export { SegmentedBytes } from './segmented-bytes';
