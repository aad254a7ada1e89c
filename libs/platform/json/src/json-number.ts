/** States of parsing a number (RFC 8259 §6). */
export const NumberState = {
  MINUS: 0,
  ZERO: 1,
  INTEGER: 2,
  POINT: 3,
  FRACTION: 4,
  E: 5,
  E_SIGN: 6,
  EXPONENT: 7,
} as const;

const DIGIT_1_TO_9 = 0;
const DIGIT_0 = 1;
const POINT = 2;
const E = 3;
const PLUS = 4;
const MINUS = 5;
const OTHER = 6;
/** No state: the byte does not belong to the number. */
const NONE = -1;

const { ZERO, INTEGER, FRACTION, E_SIGN, EXPONENT } = NumberState;
const { POINT: AFTER_POINT, E: AFTER_E } = NumberState;

/** The class of each byte. */
const CLASSES = new Uint8Array(256).fill(OTHER);
CLASSES.fill(DIGIT_1_TO_9, 0x31, 0x3a);
CLASSES[0x30] = DIGIT_0;
CLASSES[0x2e] = POINT;
CLASSES[0x65] = CLASSES[0x45] = E;
CLASSES[0x2b] = PLUS;
CLASSES[0x2d] = MINUS;

/** The next state for each state and class of byte. */
const NEXT = [
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
export function nextInNumber(state: number, byte: number): number {
  return NEXT[state]?.[CLASSES[byte] ?? OTHER] ?? NONE;
}

/** Whether a number may end here. */
export function mayEndNumber(state: number): boolean {
  return state === ZERO || state === INTEGER || state === FRACTION || state === EXPONENT;
}
