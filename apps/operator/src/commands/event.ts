import { optional } from '../options/option';
import * as read from '../options/read';
import { after, anyCustomer, limit } from '../options/customer-and-list-options';
import { commandsWith, type Noun } from './command';

const command = commandsWith(() => import('../services/events.services.js'));

const list = command({
  name: 'list',
  description: 'list what was told to customers and to the operator as events, newest first',
  options: {
    customer: anyCustomer,
    type: optional('--type <type>', 'only this type, such as ai.credit.low', read.eventType),
    limit,
    after,
  },
  examples: ['--customer 100001', '--type ai.credit.low --limit 20'],
  reads: true,
  columns: ['created_at', 'type', 'customer_number', 'customer', 'reference'],
  moreColumns: ['position', 'operator_only', 'record', 'id', 'customer_id'],
  run: ({ events }, { customer, type }, { listing }) => events.list({ customerId: customer, type }, listing),
});

export const eventNoun: Noun = { name: 'event', description: 'the event log', commands: [list] };
