import { LONGEST_TEXT, shortText, TokenText, Utf8Check } from './chunked-bytes';

/** Faults of a text that should be a JSON object. */
export type JsonFaultKind = 'not_utf8' | 'syntax' | 'not_an_object' | 'too_deep' | 'too_many_values';

/** A text is not a JSON object in UTF-8, or exceeds the limits. */
export class JsonFault extends Error {
  constructor(
    readonly kind: JsonFaultKind,
    /** Of a syntax error. */
    readonly place?: JsonPlace,
  ) {
    super(`JSON: ${kind}`);
  }
}

/** Where a text stops being JSON. */
export interface JsonPlace {
  /** The byte; the text's length if the text ends too early. */
  offset: number;
  /** Its line, from 1 on, and the byte at which that begins. */
  line: number;
  lineStart: number;
}

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

const VALUE = 0;
const FIRST_ITEM = 1;
const FIRST_KEY = 2;
const KEY = 3;
const COLON = 4;
const AFTER_VALUE = 5;
const STRING = 6;
const ESCAPE = 7;
const HEX = 8;
const NUMBER = 9;
const LITERAL = 10;

const LINE_FEED = 0x0a;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OBJECT = 0x7b;
const OBJECT_END = 0x7d;
const ARRAY = 0x5b;
const ARRAY_END = 0x5d;
const MINUS = 0x2d;

const LITERALS: Record<number, Buffer | undefined> = {
  0x74: Buffer.from('true'),
  0x66: Buffer.from('false'),
  0x6e: Buffer.from('null'),
};
/** Bytes that may follow a backslash, besides `u` (RFC 8259 §7). */
const ESCAPES = new Set(Buffer.from('"\\/bfnrt'));
const HEX_DIGITS = new Set(Buffer.from('0123456789abcdefABCDEF'));

/**
 * Parses one JSON object chunk by chunk, as it arrives. It takes time in proportion to the chunk, and a few hundred
 * bytes of memory, for any text. Accepts the objects that JSON.parse accepts, in valid UTF-8.
 */
export class JsonTokenizer implements JsonToken {
  start = 0;
  end = 0;

  private state = VALUE;
  private depth = 0;
  private values = 0;
  /** For each open object or array, its closing bracket. */
  private readonly closers: Uint8Array;
  private readonly utf8 = new Utf8Check();
  private readonly begun = new TokenText();
  private piece: Buffer = Buffer.alloc(0);
  /** Offset of the chunk in the text. */
  private base = 0;
  private line = 1;
  private lineStart = 0;
  private isKey = false;
  private isEscaped = false;
  private hexLeft = 0;
  private number = 0;
  private literal: Buffer = Buffer.alloc(0);

  constructor(
    private readonly limits: JsonLimits,
    private readonly handler: JsonHandler,
  ) {
    this.closers = new Uint8Array(limits.depth);
  }

  /** Parses the next chunk. @throws JsonFault; nothing may be written after it */
  write(piece: Buffer): void {
    if (!this.utf8.accepts(piece)) throw new JsonFault('not_utf8');
    this.piece = piece;
    for (let at = 0; at < piece.length;) at = this.step(piece, at);
    if (this.state >= STRING) this.begun.keep(piece.subarray(Math.max(0, this.start - this.base)));
    this.base += piece.length;
  }

  /** Ends the text. @throws JsonFault if it is incomplete */
  finish(): void {
    if (!this.utf8.complete) throw new JsonFault('not_utf8');
    this.piece = this.piece.subarray(0, 0);
    if (this.state === NUMBER && this.depth === 0 && mayEndNumber(this.number)) throw new JsonFault('not_an_object');
    if (this.state !== AFTER_VALUE || this.depth > 0) throw this.syntaxFault(0);
    if (this.closers[0] !== OBJECT_END) throw new JsonFault('not_an_object');
  }

  private syntaxFault(at: number): JsonFault {
    const { line, lineStart } = this;
    return new JsonFault('syntax', { offset: this.base + at, line, lineStart });
  }

  text(): string | undefined {
    const isWhole = this.start >= this.base;
    const bytes = isWhole ? this.piece : this.begun.with(this.piece.subarray(0, this.end - this.base));
    const start = isWhole ? this.start - this.base : 0;
    const end = start + this.end - this.start;
    if (!bytes || end - start > LONGEST_TEXT) return undefined;
    if (bytes[start] !== QUOTE) return shortText(bytes, start, end);
    return this.isEscaped
      ? (JSON.parse(bytes.toString('utf8', start, end)) as string)
      : shortText(bytes, start + 1, end - 1);
  }

  private step(piece: Buffer, at: number): number {
    switch (this.state) {
      case STRING:
        return this.inString(piece, at);
      case ESCAPE:
        return this.inEscape(piece[at] as number, at);
      case HEX:
        if (!HEX_DIGITS.has(piece[at] as number)) throw this.syntaxFault(at);
        if (--this.hexLeft === 0) this.state = STRING;
        return at + 1;
      case NUMBER:
        return this.inNumber(piece, at);
      case LITERAL:
        return this.inLiteral(piece[at] as number, at);
      default:
        return this.between(piece, at);
    }
  }

  /** Between tokens: brackets, commas, colons, whitespace, and the beginnings of tokens. */
  private between(piece: Buffer, at: number): number {
    const byte = piece[at] as number;
    if (byte === 0x20 || byte === 0x0d || byte === 0x09) return at + 1;
    if (byte === LINE_FEED) {
      // Nowhere else may a line end.
      this.line++;
      this.lineStart = this.base + at + 1;
      return at + 1;
    }
    switch (this.state) {
      case FIRST_ITEM:
        if (byte === ARRAY_END) return this.close(at);
        return this.beginValue(byte, at);
      case VALUE:
        return this.beginValue(byte, at);
      case FIRST_KEY:
      case KEY:
        if (this.state === FIRST_KEY && byte === OBJECT_END) return this.close(at);
        if (byte !== QUOTE) throw this.syntaxFault(at);
        return this.beginString(at, true);
      case COLON:
        if (byte !== 0x3a) throw this.syntaxFault(at);
        this.state = VALUE;
        return at + 1;
      default:
        return this.afterValue(byte, at);
    }
  }

  private afterValue(byte: number, at: number): number {
    if (this.depth === 0) throw this.syntaxFault(at);
    const closer = this.closers[this.depth - 1];
    if (byte === closer) return this.close(at);
    if (byte !== COMMA) throw this.syntaxFault(at);
    this.count();
    this.state = closer === OBJECT_END ? KEY : VALUE;
    return at + 1;
  }

  private beginValue(byte: number, at: number): number {
    if (byte === QUOTE) return this.beginString(at, false);
    if (byte === OBJECT || byte === ARRAY) return this.open(byte, at);
    const literal = LITERALS[byte];
    if (literal) this.literal = literal;
    else this.number = byte === MINUS ? NumberState.MINUS : nextInNumber(NumberState.MINUS, byte);
    if (!literal && this.number < 0) throw this.syntaxFault(at);
    this.beginToken(at, literal ? LITERAL : NUMBER);
    return at + 1;
  }

  private beginString(at: number, isKey: boolean): number {
    this.isKey = isKey;
    this.isEscaped = false;
    this.beginToken(at, STRING);
    return at + 1;
  }

  private beginToken(at: number, state: number): void {
    this.start = this.base + at;
    this.begun.reset();
    this.state = state;
  }

  private open(byte: number, at: number): number {
    if (this.depth === 0 && byte === ARRAY) throw new JsonFault('not_an_object');
    if (this.depth === this.limits.depth) throw new JsonFault('too_deep');
    this.count();
    this.closers[this.depth++] = byte === OBJECT ? OBJECT_END : ARRAY_END;
    this.state = byte === OBJECT ? FIRST_KEY : FIRST_ITEM;
    this.handler.open(byte === OBJECT ? 'object' : 'array', this.base + at);
    return at + 1;
  }

  private close(at: number): number {
    this.depth--;
    this.state = AFTER_VALUE;
    this.handler.close(this.base + at + 1);
    return at + 1;
  }

  private count(): void {
    if (++this.values > this.limits.values) throw new JsonFault('too_many_values');
  }

  private inString(piece: Buffer, at: number): number {
    at = nextInString(piece, at);
    if (at === piece.length) return at;
    const byte = piece[at] as number;
    if (byte === QUOTE) {
      this.end = this.base + at + 1;
      this.state = this.isKey ? COLON : AFTER_VALUE;
      if (this.isKey) this.handler.key(this);
      else this.handler.scalar('string', this);
    } else if (byte === BACKSLASH) {
      this.state = ESCAPE;
      this.isEscaped = true;
    } else throw this.syntaxFault(at);
    return at + 1;
  }

  private inEscape(byte: number, at: number): number {
    if (byte === 0x75) {
      this.hexLeft = 4;
      this.state = HEX;
    } else if (ESCAPES.has(byte)) {
      this.state = STRING;
    } else throw this.syntaxFault(at);
    return at + 1;
  }

  private inNumber(piece: Buffer, at: number): number {
    for (; at < piece.length; at++) {
      const next = nextInNumber(this.number, piece[at] as number);
      if (next < 0) {
        if (!mayEndNumber(this.number)) throw this.syntaxFault(at);
        this.endScalar('number', at);
        return at;
      }
      this.number = next;
    }
    return at;
  }

  private inLiteral(byte: number, at: number): number {
    const done = this.base + at - this.start;
    if (byte !== this.literal[done]) throw this.syntaxFault(at);
    if (done === this.literal.length - 1) this.endScalar('literal', at + 1);
    return at + 1;
  }

  private endScalar(kind: 'number' | 'literal', at: number): void {
    this.end = this.base + at;
    this.state = AFTER_VALUE;
    this.handler.scalar(kind, this);
  }
}

/** 1 for the bytes that a string does not have as they are: its end, escapes and control characters (RFC 8259 §7). */
const NOT_PLAIN = new Uint8Array(256).fill(1, 0, 0x20);
NOT_PLAIN[QUOTE] = NOT_PLAIN[BACKSLASH] = 1;

/** The place of the next byte that is not plain, or the piece's length. Eight bytes at a time take two thirds of the time. */
function nextInString(piece: Buffer, at: number): number {
  const isNotPlain = (place: number) => NOT_PLAIN[piece[place] as number] as number;
  for (const last = piece.length - 8; at <= last; at += 8) {
    const first = isNotPlain(at) | isNotPlain(at + 1) | isNotPlain(at + 2) | isNotPlain(at + 3);
    if (first | isNotPlain(at + 4) | isNotPlain(at + 5) | isNotPlain(at + 6) | isNotPlain(at + 7)) break;
  }
  while (at < piece.length && isNotPlain(at) === 0) at++;
  return at;
}

/** States of parsing a number (RFC 8259 §6). */
const NumberState = {
  MINUS: 0,
  ZERO: 1,
  INTEGER: 2,
  POINT: 3,
  FRACTION: 4,
  E: 5,
  E_SIGN: 6,
  EXPONENT: 7,
} as const;

/** Classes of the bytes in a number. */
const ByteClass = { DIGIT_1_TO_9: 0, DIGIT_0: 1, POINT: 2, E: 3, PLUS: 4, MINUS: 5, OTHER: 6 } as const;
const BYTE_CLASSES = new Uint8Array(256).fill(ByteClass.OTHER);
BYTE_CLASSES.fill(ByteClass.DIGIT_1_TO_9, 0x31, 0x3a);
BYTE_CLASSES[0x30] = ByteClass.DIGIT_0;
BYTE_CLASSES[0x2e] = ByteClass.POINT;
BYTE_CLASSES[0x65] = BYTE_CLASSES[0x45] = ByteClass.E;
BYTE_CLASSES[0x2b] = ByteClass.PLUS;
BYTE_CLASSES[MINUS] = ByteClass.MINUS;

/** No state: the byte does not belong to the number. */
const NONE = -1;
const { ZERO, INTEGER, FRACTION, E_SIGN, EXPONENT, POINT: AFTER_POINT, E: AFTER_E } = NumberState;

/** The next state for each state of a number and class of byte. */
const NEXT_IN_NUMBER = [
  //  1-9       0         .            e        +        -      other
  [INTEGER, ZERO, NONE, NONE, NONE, NONE, NONE],
  [NONE, NONE, AFTER_POINT, AFTER_E, NONE, NONE, NONE],
  [INTEGER, INTEGER, AFTER_POINT, AFTER_E, NONE, NONE, NONE],
  [FRACTION, FRACTION, NONE, NONE, NONE, NONE, NONE],
  [FRACTION, FRACTION, NONE, AFTER_E, NONE, NONE, NONE],
  [EXPONENT, EXPONENT, NONE, NONE, E_SIGN, E_SIGN, NONE],
  [EXPONENT, EXPONENT, NONE, NONE, NONE, NONE, NONE],
  [EXPONENT, EXPONENT, NONE, NONE, NONE, NONE, NONE],
];

/** The state after one more byte; -1 if the byte does not belong to the number. */
function nextInNumber(state: number, byte: number): number {
  return NEXT_IN_NUMBER[state]?.[BYTE_CLASSES[byte] ?? ByteClass.OTHER] ?? NONE;
}

/** Whether a number may end here. */
function mayEndNumber(state: number): boolean {
  return state === ZERO || state === INTEGER || state === FRACTION || state === EXPONENT;
}
