export { decimalText, type DecimalLimits, hundredths, timesRoundedUp } from './decimal-text';
export { amountOrNull, amountText, jsonAmount, shortDecimal } from './json-amount';
export { decimalsOf, fromDecimals, toDecimal, toMinorUnits, toNumber } from './minor-units';
