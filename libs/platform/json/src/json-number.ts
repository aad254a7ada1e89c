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
const NONE = -1;

const { ZERO, INTEGER, FRACTION, E_SIGN, EXPONENT } = NumberState;
const { POINT: AFTER_POINT, E: AFTER_E } = NumberState;

/** The next state for each state and class of byte. */
const NEXT = [
  //  1-9       0         .            e        +        -
  [INTEGER, ZERO, NONE, NONE, NONE, NONE],
  [NONE, NONE, AFTER_POINT, AFTER_E, NONE, NONE],
  [INTEGER, INTEGER, AFTER_POINT, AFTER_E, NONE, NONE],
  [FRACTION, FRACTION, NONE, NONE, NONE, NONE],
  [FRACTION, FRACTION, NONE, AFTER_E, NONE, NONE],
  [EXPONENT, EXPONENT, NONE, NONE, E_SIGN, E_SIGN],
  [EXPONENT, EXPONENT, NONE, NONE, NONE, NONE],
  [EXPONENT, EXPONENT, NONE, NONE, NONE, NONE],
];

/** The state after one more byte; -1 if the byte does not belong to the number. */
export function nextInNumber(state: number, byte: number): number {
  const kind = classOf(byte);
  return kind === NONE ? NONE : (NEXT[state]?.[kind] ?? NONE);
}

/** Whether a number may end here. */
export function mayEndNumber(state: number): boolean {
  return state === ZERO || state === INTEGER || state === FRACTION || state === EXPONENT;
}

function classOf(byte: number): number {
  if (byte >= 0x31 && byte <= 0x39) return DIGIT_1_TO_9;
  switch (byte) {
    case 0x30:
      return DIGIT_0;
    case 0x2e:
      return POINT;
    case 0x65:
    case 0x45:
      return E;
    case 0x2b:
      return PLUS;
    case 0x2d:
      return MINUS;
    default:
      return NONE;
  }
}
