import { SubCommand } from 'nest-commander';
import { AiUsageOperatorService } from '@domains/ai';
import { optional, type Values } from '../../options/option';
import * as read from '../../options/read';
import { after, csv, customer, from, limit, listingOf, to } from '../../options/shared-options';
import { CsvOutput } from '../../output/csv-output';
import { commandWith } from '../operator-command';
import { USAGE_TABLE, usageRecord } from './usage-csv';

const options = {
  customer,
  from,
  to,
  token: optional('--token <id>', 'only calls with this token', read.uuid),
  model: optional('--model <model>', 'only calls that this model answered'),
  limit,
  after,
  csv,
};

@SubCommand({ name: 'usage', description: "list a customer's charged AI calls, newest first" })
export class AiUsageCommand extends commandWith(options) {
  constructor(private readonly records: AiUsageOperatorService) {
    super();
  }

  protected async execute({ customer, from, to, token, model, csv, ...listing }: Values<typeof options>) {
    const filter = { from, to, tokenId: token, model };
    if (!csv) return this.records.usage(customer, filter, listingOf(listing));
    return new CsvOutput(USAGE_TABLE, await this.records.allUsage(customer, filter), usageRecord);
  }
}
