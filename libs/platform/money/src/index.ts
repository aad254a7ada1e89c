export { decimalText, type DecimalLimits, hundredths, timesRoundedUp } from './decimal-text';
export { decimalsOf, fromDecimals, toDecimal, toMinorUnits, toNumber } from './minor-units';
