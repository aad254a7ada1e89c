/** Bounds of a text. */
export interface JsonLimits {
  /** Maximum depth of nested objects and arrays. */
  depth: number;
  /** Maximum number of opening brackets and commas, which bounds the number of values. */
  values: number;
}

/** The string, number, literal or name that has just ended. */
export interface JsonToken {
  /** Offset of its first byte in the text. */
  readonly start: number;
  /** The byte after its last. */
  readonly end: number;
  /** Its value, a string decoded; undefined if it has more than 128 bytes. Valid only while it is being handled. */
  text(): string | undefined;
}

/** Receives the tokens of a text in order. */
export interface JsonHandler {
  /** An object or an array begins at byte `start`. */
  open(kind: 'object' | 'array', start: number): void;
  /** The innermost object or array ends before byte `end`. */
  close(end: number): void;
  /** The name of a member; its value is next. */
  key(token: JsonToken): void;
  scalar(kind: 'string' | 'number' | 'literal', token: JsonToken): void;
}
