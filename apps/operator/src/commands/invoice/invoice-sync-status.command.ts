import { flag } from '../../options/option';
import { anyCustomer } from '../../options/shared-options';
import { command } from '../command';

export const invoiceSyncStatus = command({
  name: 'sync-status',
  description: 'show the state of the syncs with the billing sources',
  options: { customer: anyCustomer, failing: flag('--failing', 'only those whose last run failed') },
  examples: ['--failing', '--customer 100001'],
  reads: true,
  columns: ['customer_number', 'customer', 'source', 'source_customer_id', 'succeeded_at', 'failures', 'last_error'],
  moreColumns: [
    ...['stored', 'skipped', 'problems', 'due_at', 'queued_at', 'started_at', 'finished_at', 'failing_since'],
    ...['run_id', 'checkpoint', 'customer_id'],
  ],
  services: () => import('../../services/invoice-sync.services.js'),
  run: ({ accounts }, { customer, failing }) => accounts.report(customer, failing),
});
