import { required } from '../../options/option';
import * as read from '../../options/read';
import { anyCustomer } from '../../options/shared-options';
import { command } from '../command';

export const aiAccounting = command({
  name: 'accounting',
  description: "sums of a month for the accounts: what each customer's AI credit gained and paid",
  options: {
    month: required('--month <month>', 'YYYY-MM, in the billing time zone', read.month),
    customer: anyCustomer,
  },
  examples: ['--month 2027-01', '--month 2027-01 --csv'],
  reads: true,
  columns: [
    ...['customer_number', 'customer', 'topped_up', 'refunded', 'adjusted', 'used_purchased', 'used_included'],
    ...['granted', 'expired'],
  ],
  moreColumns: ['month', 'customer_id'],
  services: () => import('../../services/ai.services.js'),
  run: ({ accounting }, { month, customer }) => accounting.month(month, customer),
});
