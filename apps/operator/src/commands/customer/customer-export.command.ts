import { customer } from '../../options/shared-options';
import { command } from '../command';
import { TextParts } from '../text-parts';

export const customerExport = command({
  name: 'export',
  description: 'print all data of a customer as one JSON value, table by table, without secrets',
  options: { customer },
  examples: ['--customer 100001'],
  services: () => import('../../services/customer-data.services.js'),
  run: ({ customerData }, { customer }, { actor }) => new TextParts(jsonOf(customerData.export(actor, customer))),
});

/** `{"table": [rows…], …}`; the portions of a table follow each other. */
async function* jsonOf(portions: AsyncIterable<{ table: string; rows: readonly object[] }>): AsyncGenerator<string> {
  let open: string | undefined;
  let rowsBefore = 0;
  for await (const { table, rows } of portions) {
    if (table !== open) {
      yield `${open === undefined ? '{' : '],'}\n${JSON.stringify(table)}: [`;
      open = table;
      rowsBefore = 0;
    }
    yield rows.map((row, at) => `${rowsBefore + at > 0 ? ',' : ''}\n  ${JSON.stringify(row)}`).join('');
    rowsBefore += rows.length;
  }
  yield open === undefined ? '{}\n' : ']\n}\n';
}
