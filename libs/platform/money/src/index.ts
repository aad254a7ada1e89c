export { decimalText, type DecimalLimits, hundredths, timesRoundedUp } from './decimal-text';
export { amountOrNull, amountText, jsonAmount, shortDecimal } from './json-amount';
export { fromDecimals, toDecimal, toMinorUnits, toNumber } from './minor-units';
