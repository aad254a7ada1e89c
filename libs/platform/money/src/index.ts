export { decimalText, type DecimalLimits, hundredths, timesRoundedUp } from './decimal-text';
