import { text as readAll } from 'node:stream/consumers';
import type { LedgerEntry, LedgerKind, Receipt } from '@domains/ai';
import { decimalText, jsonAmount, shortDecimal } from '@platform/money';
import { flag, optional, required } from '../options/option';
import * as read from '../options/read';
import { after, anyCustomer, customer, from, limit, to } from '../options/customer-and-list-options';
import { usageError } from '../command-error';
import { commandsWith, type CsvColumns, CsvRows, type Noun } from './command';

const command = commandsWith(() => import('../services/ai.services.js'));

const configure = command({
  name: 'configure',
  description: "set up a customer's AI, or change it; options left out stay as they are",
  options: {
    customer,
    enabled: optional('--enabled <true|false>', 'whether the customer may use AI', read.yesOrNo),
    model: optional('--model <model>', 'model that answers; it must have a price'),
    includedNok: optional(
      '--included-nok <amount>',
      'included credit per month; an increase is added at once, a decrease applies from next month',
      kroner,
    ),
    monthlyLimitNok: optional(
      '--monthly-limit-nok <amount>',
      'most included credit that may be used in a month; none removes the limit',
      kronerOrNone,
    ),
    totalLimitNok: optional(
      '--total-limit-nok <amount>',
      'most that may be used in a month, purchased credit included; none removes the limit',
      kronerOrNone,
    ),
    creditThresholds: optional(
      '--credit-thresholds <percents>',
      "used shares of the month's credit that the customer is told of as events, up to five, such as 50,80; default: 80",
      percents,
    ),
    keyStdin: flag('--key-stdin', "read the customer's own key from standard input"),
    dropKey: flag('--drop-key', "go back from the customer's own key to the service-wide one"),
  },
  examples: [
    '--customer 100001 --enabled true --model claude-haiku-4-5 --included-nok 500',
    '--customer 100001 --key-stdin < key.txt',
  ],
  confirm: ({ dropKey }) => (dropKey ? "The customer's own key is deleted. Go on?" : undefined),
  async run({ configuration }, { customer, keyStdin, dropKey, ...change }, { actor }) {
    if (keyStdin && dropKey) throw usageError('Give --key-stdin or --drop-key, not both');
    const apiKey = keyStdin ? await readKey() : dropKey ? null : undefined;
    return configuration.configure(actor, customer, { ...change, apiKey });
  },
});

function kroner(text: string): string {
  return decimalText(text, { decimals: 2 });
}

/** Parses percents, separated by commas, or `default`. */
function percents(text: string): number[] | null {
  return text === 'default' ? null : text.split(',').map(Number);
}

function kronerOrNone(text: string): string | null {
  return text === 'none' ? null : kroner(text);
}

/**
 * The key is read from standard input: other users of the machine can see a command line, and the shell's history keeps
 * it.
 */
async function readKey(): Promise<string> {
  const key = (await readAll(process.stdin)).trim();
  if (key === '') throw usageError('Standard input contains no key');
  return key;
}

const show = command({
  name: 'show',
  description: "show a customer's AI settings and balances",
  options: { customer },
  examples: ['--customer 100001'],
  reads: true,
  run: ({ configuration }, { customer }) => configuration.show(customer),
});

const price = command({
  name: 'price',
  description: 'set the price of a model, in NOK per million tokens, from a date on',
  options: {
    model: required('--model <model>', "the provider's name of the model"),
    input: required('--input <nok>', 'input tokens'),
    output: required('--output <nok>', 'output tokens'),
    cacheWrite5m: optional('--cache-write-5m <nok>', 'cache writes for 5 minutes (1.25 × input)'),
    cacheWrite1h: optional('--cache-write-1h <nok>', 'cache writes for 1 hour (2 × input)'),
    cacheRead: optional('--cache-read <nok>', 'cache reads (0.1 × input)'),
    from: optional('--from <date>', 'first day, YYYY-MM-DD in the billing time zone (now)', read.date),
  },
  examples: ['--model claude-haiku-4-5 --input 12 --output 60 --from 2027-02-01'],
  confirm: ({ model, input, output }) =>
    `${model} costs ${input} and ${output} NOK; a price is never changed, only replaced. Go on?`,
  run: ({ prices }, { model, input, output, cacheWrite5m, cacheWrite1h, cacheRead, from }, { actor }) =>
    prices.set(actor, { model, input, output, cacheWrite5m, cacheWrite1h, cacheRead, from }),
});

const withdrawPrice = command({
  name: 'withdraw-price',
  description: 'take back a price, until a minute before it begins; to correct it, set it again',
  options: {
    model: required('--model <model>', "the provider's name of the model"),
    from: required('--from <date>', 'its first day, YYYY-MM-DD in the billing time zone', read.date),
  },
  examples: ['--model claude-haiku-4-5 --from 2027-02-01'],
  confirm: ({ model, from }) => `The price of ${model} from ${from} is taken back. Go on?`,
  run: ({ prices }, { model, from }, { actor }) => prices.withdraw(actor, model, from),
});

const prices = command({
  name: 'prices',
  description: 'list the prices of the models, with their first day, and which of them calls have now',
  options: {},
  examples: ['', '--csv'],
  reads: true,
  columns: [
    'model',
    'valid_from',
    'in_force',
    'input',
    'output',
    'cache_write5m',
    'cache_write1h',
    'cache_read',
    'example',
  ],
  moreColumns: ['created_at'],
  run: ({ prices }) => prices.list(),
});

const credit = command({
  name: 'credit',
  description: 'add an adjustment or a refund to the ledger; correct an entry with another adjustment',
  options: {
    customer,
    kind: required(
      '--kind <kind>',
      'kind of the entry',
      read.oneOf<'manual_adjustment' | 'refund'>()('manual_adjustment', 'refund'),
    ),
    amountNok: required('--amount-nok <amount>', 'amount; an adjustment may be negative', (text) =>
      decimalText(text, { decimals: 12, least: -1e9 }),
    ),
    note: required('--note <text>', 'why; the customer reads it in its ledger'),
  },
  examples: ['--customer 100001 --kind refund --amount-nok 12.50 --note "Calls of 3 March"'],
  columns: ['sequence', 'created_at', 'kind', 'bucket', 'amount', 'balance_after', 'note'],
  confirm: ({ amountNok }) => `An entry of ${amountNok} NOK stays in the customer's ledger. Go on?`,
  run: ({ credit }, { customer, kind, amountNok, note }, { actor }) =>
    credit.adjust(actor, { customerId: customer, kind, amountNok, note }),
});

const ledger = command({
  name: 'ledger',
  description: "list a customer's AI ledger, the latest entry first",
  options: {
    customer,
    from,
    to,
    kind: optional(
      '--kind <kind>',
      'only entries of this kind',
      read.oneOf<LedgerKind>()('monthly_included', 'usage', 'manual_adjustment', 'invoice_topup', 'refund', 'expiry'),
    ),
    limit,
    after: optional(
      '--after <sequence>',
      'only entries that follow the one with this sequence number',
      read.numberText,
    ),
  },
  examples: ['--customer 100001 --from 2027-01-01 --to 2027-01-31', '--customer 100001 --kind invoice_topup --csv'],
  reads: true,
  columns: ['sequence', 'created_at', 'kind', 'bucket', 'amount', 'balance_after', 'note'],
  moreColumns: ['month', 'usage_id', 'credit_request_id', 'invoice_id', 'actor'],
  async run({ records }, { customer, from, to, kind, limit, after }, { listing, csv }) {
    const filter = { from, to, kind };
    if (csv && limit === undefined) return new CsvRows(LEDGER_CSV, await records.allLedger(customer, filter, after));
    const part = await records.ledger(customer, filter, listing);
    return csv ? new CsvRows(LEDGER_CSV, [part.rows], part.next) : part;
  },
});

const LEDGER_CSV: CsvColumns<LedgerEntry> = {
  sequence: (entry) => Number(entry.sequence),
  created_at: (entry) => entry.createdAt,
  kind: (entry) => entry.kind,
  bucket: (entry) => entry.bucket,
  amount: (entry) => jsonAmount(entry.amount),
  balance_after: (entry) => jsonAmount(entry.balanceAfter),
  month: (entry) => entry.month,
  usage_id: (entry) => entry.usageId,
  credit_request_id: (entry) => entry.creditRequestId,
  invoice_id: (entry) => entry.invoiceId,
  note: (entry) => entry.note,
  actor: (entry) => entry.actor,
};

const usage = command({
  name: 'usage',
  description: "list a customer's charged AI calls, newest first",
  options: {
    customer,
    from,
    to,
    token: optional('--token <id>', 'only calls with this token', read.uuid),
    model: optional('--model <model>', 'only calls that this model answered'),
    limit,
    after,
  },
  examples: ['--customer 100001 --limit 20', '--customer 100001 --from 2027-01-01 --to 2027-01-31 --csv'],
  reads: true,
  columns: ['created_at', 'model', 'input_tokens', 'output_tokens', 'charged', 'token_name', 'id'],
  moreColumns: [
    ...['cache_write5m_tokens', 'cache_write1h_tokens', 'cache_read_tokens', 'paid_from_included'],
    ...['paid_from_purchased', 'uncovered', 'currency', 'provider', 'request_id', 'api_request_id', 'token_id'],
    'streamed',
  ],
  async run({ records }, { customer, from, to, token, model, limit, after }, { listing, csv }) {
    const filter = { from, to, tokenId: token, model };
    if (csv && limit === undefined) return new CsvRows(USAGE_CSV, await records.allUsage(customer, filter, after));
    const part = await records.usage(customer, filter, listing);
    return csv ? new CsvRows(USAGE_CSV, [part.rows], part.next) : part;
  },
});

const USAGE_CSV: CsvColumns<Receipt> = {
  id: (receipt) => receipt.id,
  created_at: (receipt) => receipt.createdAt,
  provider: (receipt) => receipt.provider,
  model: (receipt) => receipt.model,
  input_tokens: (receipt) => receipt.inputTokens,
  output_tokens: (receipt) => receipt.outputTokens,
  cache_write_5m_tokens: (receipt) => receipt.cacheWrite5mTokens,
  cache_write_1h_tokens: (receipt) => receipt.cacheWrite1hTokens,
  cache_read_tokens: (receipt) => receipt.cacheReadTokens,
  price_valid_from: (receipt) => receipt.validFrom,
  charged: (receipt) => jsonAmount(receipt.charged),
  paid_from_included: (receipt) => jsonAmount(receipt.paidFromIncluded),
  paid_from_purchased: (receipt) => jsonAmount(receipt.paidFromPurchased),
  uncovered: (receipt) => jsonAmount(receipt.uncovered),
  currency: (receipt) => receipt.currency,
  request_id: (receipt) => receipt.requestId,
  api_request_id: (receipt) => receipt.apiRequestId,
  token_id: (receipt) => receipt.tokenId,
  token_name: (receipt) => receipt.tokenName,
  streamed: (receipt) => receipt.streamed,
};

const accounting = command({
  name: 'accounting',
  description: "sums of a month for accounting: additions to each customer's AI credit, and its use",
  options: {
    month: required('--month <month>', 'YYYY-MM, in the billing time zone', read.month),
    customer: anyCustomer,
    top: optional('--top <n>', 'only the customers that used most', read.rows),
  },
  examples: ['--month 2027-01', '--month 2027-01 --top 20', '--month 2027-01 --csv'],
  reads: true,
  columns: [
    ...['customer_number', 'customer', 'topped_up', 'refunded', 'adjusted', 'used_purchased', 'used_included'],
    ...['granted', 'expired'],
  ],
  moreColumns: ['month', 'customer_id'],
  async run({ accounting }, { month, customer, top }, { note }) {
    const { customers, total } = await accounting.month(month, { customerId: customer, top });
    const { toppedUp, usedPurchased, usedIncluded } = total;
    const used = `used ${shortDecimal(usedPurchased)} purchased and ${shortDecimal(usedIncluded)} included`;
    note(
      `in all ${total.customers} ${total.customers === 1 ? 'customer' : 'customers'}: topped up ${shortDecimal(toppedUp)}, ${used} NOK`,
    );
    return customers;
  },
});

const unknown = command({
  name: 'unknown',
  description: 'list calls with an unknown outcome: not charged, the provider may bill them',
  options: { customer: anyCustomer, limit, after },
  examples: ['', '--customer 100001 --limit 20'],
  reads: true,
  columns: ['customer_number', 'customer', 'model', 'amount', 'resolved_at', 'id'],
  moreColumns: [
    ...['reason', 'state', 'price_valid_from', 'input_tokens_bound', 'max_tokens', 'deadline', 'month', 'request_id'],
    ...['token_id', 'created_at', 'customer_id'],
  ],
  run: ({ records }, { customer }, { listing }) => records.unknownOutcomes(customer, listing),
});

const verify = command({
  name: 'verify',
  description:
    'check every AI account against its ledger and list the differences; fails if there are any, or no account',
  options: { customer: anyCustomer, allowEmpty: flag('--allow-empty', 'succeed if there is no account to check') },
  examples: ['', '--customer 100001'],
  reads: true,
  columns: ['customer_number', 'customer', 'problem', 'found', 'expected', 'customer_id'],
  saysIfEmpty: true,
  async run({ verification }, { customer, allowEmpty = false }, { foundFault, note }) {
    const accounts = await verification.accounts(customer);
    const problems = await verification.verify(customer);
    const checked = accounts === 1 ? '1 account was checked' : `${accounts} accounts were checked`;
    note(problems.length === 0 && accounts > 0 ? `${checked}: no difference` : checked);
    if (problems.length > 0 || (accounts === 0 && !allowEmpty)) foundFault();
    return problems;
  },
});

export const aiNoun: Noun = {
  name: 'ai',
  description: 'AI settings, prices and credit of customers',
  commands: [configure, show, price, withdrawPrice, prices, credit, ledger, usage, accounting, unknown, verify],
};
