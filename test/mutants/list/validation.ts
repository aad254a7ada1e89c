import type { Mutant } from '../mutant';

const TEXT = 'libs/platform/http/src/fields/is-text.decorator.ts';
const AMOUNT = 'libs/platform/http/src/fields/is-amount.decorator.ts';
const DAY = 'libs/platform/http/src/fields/is-day.decorator.ts';
const TICKETS = ['test/e2e/support-tickets', 'libs/platform/http/src/fields'];
const CREDIT = ['test/e2e/ai-credit'];

/** Validation of requests. */
export const validation: Mutant[] = [
  {
    name: 'validation: a text may be one character longer',
    file: TEXT,
    find: 'characters > max)',
    replace: 'characters > max + 1)',
    specs: TICKETS,
  },
  {
    name: 'validation: a text is counted in code units',
    file: TEXT,
    find: 'const characters = [...value].length;',
    replace: 'const characters = value.length;',
    specs: TICKETS,
  },
  {
    name: 'validation: the null character is taken',
    file: TEXT,
    find: "text.isWellFormed() && !text.includes('\\0')",
    replace: 'text.isWellFormed()',
    specs: TICKETS,
  },
  {
    name: 'validation: half an emoji is taken',
    file: TEXT,
    find: 'text.isWellFormed() && ',
    replace: '',
    specs: TICKETS,
  },
  {
    name: 'validation: blanks are a text',
    file: TEXT,
    find: "min > 0 && value.trim() === ''",
    replace: "min > 0 && value === ''",
    specs: TICKETS,
  },
  {
    name: 'validation: the least amount is too little',
    file: AMOUNT,
    find: 'value >= min',
    replace: 'value > min',
    specs: CREDIT,
  },
  {
    name: 'validation: the most is too much',
    file: AMOUNT,
    find: 'value <= max',
    replace: 'value < max',
    specs: CREDIT,
  },
  {
    name: 'validation: three decimals are taken',
    file: AMOUNT,
    find: 'Math.round(value * 100) / 100 === value',
    replace: 'Math.round(value * 1000) / 1000 === value',
    specs: CREDIT,
  },
  {
    name: 'validation: awkward amounts have too many decimals',
    file: AMOUNT,
    find: 'Math.round(value * 100) / 100 === value',
    replace: 'value * 100 === Math.round(value * 100)',
    specs: CREDIT,
  },
  {
    name: 'validation: the 30th of February is a day',
    file: DAY,
    find: ' && day.toISOString().startsWith(text)',
    replace: '',
    specs: ['test/e2e/invoices'],
  },
  {
    name: 'validation: dates may be reversed',
    file: DAY,
    find: 'value < earlier',
    replace: 'value > earlier && earlier === value',
    specs: ['test/e2e/list-filters', 'test/e2e/invoices'],
  },
  {
    name: 'validation: unknown fields are kept',
    file: 'libs/platform/http/src/validation-pipe.ts',
    find: 'whitelist: true,',
    replace: 'whitelist: true, forbidNonWhitelisted: true,',
    specs: ['test/e2e/support-tickets', 'test/e2e/services'],
  },
];
