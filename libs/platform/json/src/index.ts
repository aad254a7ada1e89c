export { SegmentedBytes } from './chunked-bytes';
export {
  JsonFault,
  type JsonFaultKind,
  type JsonHandler,
  type JsonLimits,
  type JsonPlace,
  type JsonToken,
  JsonTokenizer,
} from './json-tokenizer';
