/** What is wrong with a text that should be one JSON object. */
export type JsonFaultKind = 'not_utf8' | 'syntax' | 'not_an_object' | 'too_deep' | 'too_many_values';

/** A text is not a JSON object in UTF-8, or goes beyond the limits it was read with. */
export class JsonFault extends Error {
  constructor(readonly kind: JsonFaultKind) {
    super(`JSON: ${kind}`);
  }
}
