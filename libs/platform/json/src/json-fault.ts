/** Faults of a text that should be a JSON object. */
export type JsonFaultKind = 'not_utf8' | 'syntax' | 'not_an_object' | 'too_deep' | 'too_many_values';

/** A text is not a JSON object in UTF-8, or exceeds the limits. */
export class JsonFault extends Error {
  constructor(readonly kind: JsonFaultKind) {
    super(`JSON: ${kind}`);
  }
}
