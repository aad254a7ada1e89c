import { SubCommand } from 'nest-commander';
import { AiUsageOperatorService, LEDGER_KINDS } from '@domains/ai';
import { optional, type Values } from '../../options/option';
import * as read from '../../options/read';
import { csv, customer, from, limit, listingOf, to } from '../../options/shared-options';
import { CsvOutput } from '../../output/csv-output';
import { commandWith } from '../operator-command';
import { LEDGER_TABLE, ledgerRecord } from './usage-csv';

const options = {
  customer,
  from,
  to,
  kind: optional('--kind <kind>', `only entries of this kind: ${LEDGER_KINDS.join(', ')}`, read.oneOf(LEDGER_KINDS)),
  limit,
  after: optional('--after <sequence>', 'only what comes behind the entry with this sequence number', read.numberText),
  csv,
};

@SubCommand({ name: 'ledger', description: "list a customer's AI ledger, the latest entry first" })
export class AiLedgerCommand extends commandWith(options) {
  constructor(private readonly records: AiUsageOperatorService) {
    super();
  }

  protected async execute({ customer, from, to, kind, csv, ...listing }: Values<typeof options>) {
    const filter = { from, to, kind };
    if (!csv) return this.records.ledger(customer, filter, listingOf(listing));
    return new CsvOutput(LEDGER_TABLE, await this.records.allLedger(customer, filter), ledgerRecord);
  }
}
