import { optional } from '../../options/option';
import * as read from '../../options/read';
import { after, customer, from, limit, listingOf, to } from '../../options/shared-options';
import { command } from '../command';
import { CsvRows } from '../csv-rows';
import { USAGE_COLUMNS, usageRecord } from './usage-csv';

export const aiUsage = command({
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
  services: () => import('../../services/ai.services.js'),
  async run({ records }, { customer, from, to, token, model, ...listing }, { csv }) {
    const filter = { from, to, tokenId: token, model };
    if (!csv) return records.usage(customer, filter, listingOf(listing));
    return new CsvRows(USAGE_COLUMNS, await records.allUsage(customer, filter), usageRecord);
  },
});
