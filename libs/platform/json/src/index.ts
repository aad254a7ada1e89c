export { JsonFault, type JsonFaultKind } from './json-fault';
export type { JsonHandler, JsonLimits, JsonToken } from './json-handler';
export { JsonTokenizer } from './json-tokenizer';
export { SegmentedBytes } from './segmented-bytes';
