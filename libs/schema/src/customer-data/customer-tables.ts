import type { CustomerTable } from './customer-table';

/**
 * Every table whose rows belong to a customer. What accounting law asks for stays: invoices, the credit ledger with its accounts,
 * usage and reservations' sums. A test compares the list with the database, columns included.
 */
export const customerTables: readonly CustomerTable[] = [
  {
    table: 'customer',
    // Marked and blanked first, by itself: its name, e-mail and, if the books do not need it, organisation number.
    customerColumn: 'id',
    erase: { how: 'blank', blanks: {}, keeps: ['name', 'organization_number', 'customer_number', 'email'] },
  },
  { table: 'service_token', erase: { how: 'delete', atOnce: true }, hides: ['token_hash'] },
  { table: 'service_token_use', erase: { how: 'delete' } },
  { table: 'customer_service', erase: { how: 'delete' } },
  { table: 'status_event', erase: { how: 'delete' } },
  { table: 'support_ticket', erase: { how: 'delete' } },
  { table: 'support_ticket_reply', erase: { how: 'delete' } },
  {
    table: 'audit_log',
    // Who did what, and when, stays: not about whom or with which words.
    erase: {
      how: 'blank',
      blanks: { metadata: `'{}'` },
      keeps: ['actor', 'action'],
      except: `action = 'customer.erase'`,
    },
  },
  {
    table: 'idempotency_key',
    erase: { how: 'delete' },
    hides: ['key_hash', 'fingerprint', 'secrets_key', 'reply'],
  },
  { table: 'ai_settings', erase: { how: 'delete' }, hides: ['key_ciphertext'] },
  { table: 'ai_account', erase: { how: 'blank', blanks: {}, keeps: ['month'] } },
  { table: 'ai_reservation', erase: { how: 'delete' }, hides: ['key_hash'] },
  {
    table: 'ai_usage',
    erase: {
      how: 'blank',
      // A request's id is the caller's own text.
      blanks: { request_id: 'null', api_request_id: 'null' },
      keeps: ['provider', 'model', 'currency'],
    },
  },
  { table: 'ai_usage_day', erase: { how: 'blank', blanks: {}, keeps: ['model'] } },
  {
    table: 'ai_ledger_entry',
    erase: { how: 'blank', blanks: { note: 'null' }, keeps: ['kind', 'bucket', 'month', 'actor'] },
  },
  { table: 'ai_ledger_carried', erase: { how: 'blank', blanks: {}, keeps: ['bucket'] } },
  {
    table: 'ai_credit_request',
    erase: {
      how: 'blank',
      blanks: { note: 'null', reference: 'null', reason: 'null' },
      keeps: ['status', 'decided_by'],
    },
  },
  {
    table: 'invoice',
    erase: {
      how: 'blank',
      // Links lead to pages with a name and an address.
      blanks: { pdf_url: 'null', pdf_reference: 'null', hosted_url: 'null' },
      keeps: ['source', 'source_id', 'type', 'number', 'status', 'currency', 'kid'],
    },
  },
  // With its syncs and their problems: nothing is fetched again.
  { table: 'billing_account', erase: { how: 'delete' } },
  { table: 'invoice_sync', erase: { how: 'delete' } },
  { table: 'invoice_sync_problem', erase: { how: 'delete' } },
  { table: 'sms_settings', erase: { how: 'delete' } },
  { table: 'sms_daily_count', erase: { how: 'delete' } },
  { table: 'sms_message', erase: { how: 'delete' } },
];
