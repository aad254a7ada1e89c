import type { LedgerKind } from '@domains/ai';
import { optional } from '../../options/option';
import * as read from '../../options/read';
import { customer, from, limit, listingOf, to } from '../../options/shared-options';
import { command } from '../command';
import { CsvRows } from '../csv-rows';
import { LEDGER_COLUMNS, ledgerRecord } from './usage-csv';

const kinds = read.oneOf<LedgerKind>()(
  ...(['monthly_included', 'usage', 'manual_adjustment', 'invoice_topup', 'refund', 'expiry'] as const),
);

export const aiLedger = command({
  name: 'ledger',
  description: "list a customer's AI ledger, the latest entry first",
  options: {
    customer,
    from,
    to,
    kind: optional('--kind <kind>', 'only entries of this kind', kinds),
    limit,
    after: optional(
      '--after <sequence>',
      'only what comes behind the entry with this sequence number',
      read.numberText,
    ),
  },
  examples: ['--customer 100001 --from 2027-01-01 --to 2027-01-31', '--customer 100001 --kind invoice_topup --csv'],
  reads: true,
  columns: ['sequence', 'created_at', 'kind', 'bucket', 'amount', 'balance_after', 'note'],
  moreColumns: ['month', 'usage_id', 'credit_request_id', 'invoice_id', 'actor'],
  services: () => import('../../services/ai.services.js'),
  async run({ records }, { customer, from, to, kind, ...listing }, { csv }) {
    const filter = { from, to, kind };
    if (!csv) return records.ledger(customer, filter, listingOf(listing));
    return new CsvRows(LEDGER_COLUMNS, await records.allLedger(customer, filter), ledgerRecord);
  },
});
