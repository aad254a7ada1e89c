export { JsonFault, type JsonFaultKind } from './json-fault';
export { type JsonHandler, type JsonLimits, type JsonToken, JsonTokenizer } from './json-tokenizer';
export { SegmentedBytes } from './segmented-bytes';
