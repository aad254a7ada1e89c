import { Test, type TestingModule } from '@nestjs/testing';
import type { Client, QueryResultRow } from 'pg';
import { ConfigModule } from '@platform/config';
import { DatabaseModule } from '@platform/database';
import {
  BillingAccountsOperatorService,
  type BillingSourceName,
  DueSyncsService,
  InvoicesOperatorModule,
  InvoiceSyncModule,
  InvoiceSyncsOperatorService,
  InvoiceSyncsService,
  type SyncOutcome,
} from '@domains/invoices';
import { NestLogger } from '@platform/logging';
import { type Sandbox, startSandbox } from '../../apps/sandbox/src/sandbox';
import { saveFakeCustomer } from './factories/customer.factory';
import { connectAsSuperuser, createTestDatabase, type TestDatabase } from './test-database';

/** The columns of an invoice that tests use. */
export interface InvoiceTableRow extends QueryResultRow {
  source: string;
  source_id: string;
  type: string;
  number: string;
  status: string;
  currency: string;
  amount: string;
  amount_due: string;
  issue_date: string;
  due_date: string | null;
  paid_at: Date | null;
  kid: string | null;
  updated_at: Date;
}

/** The invoices domain with a real database and the sandbox's billing sources. */
export interface InvoiceFixture {
  sandbox: Sandbox;
  module: TestingModule;
  database: TestDatabase;
  superuser: Client;
  syncs: InvoiceSyncsService;
  accounts: BillingAccountsOperatorService;
  /** The state of the syncs as the operator sees it. */
  report: InvoiceSyncsOperatorService['report'];
  /** Creates a customer that is linked to this account of a source. */
  customer(source: BillingSourceName, account: string): Promise<string>;
  /** The customer's invoices by their id in the source. */
  rows(customerId: string): Promise<InvoiceTableRow[]>;
  /** Syncs a customer now, as the worker does. */
  sync(customerId: string, source: BillingSourceName, stop?: AbortSignal): Promise<SyncOutcome>;
  /** Runs all due syncs, all sources at once, until none is due. */
  syncDue(): Promise<void>;
  close(): Promise<void>;
}

const NEVER = new AbortController().signal;

/** Creates the modules of the operator's programs. `settings` are environment variables. */
export async function createInvoiceFixture(settings: Record<string, string> = {}): Promise<InvoiceFixture> {
  const sandbox = await startSandbox();
  sandbox.fiken.store.company('demo');
  const database = await createTestDatabase({ SANDBOX_URL: sandbox.url, BILLING_TIMEOUT_MS: '1000', ...settings });
  const module = await Test.createTestingModule({
    imports: [
      ConfigModule.for(database.config),
      DatabaseModule.as('account_operator'),
      InvoicesOperatorModule,
      InvoiceSyncModule,
    ],
  })
    .setLogger(new NestLogger(database.config))
    .compile();
  const superuser = await connectAsSuperuser(database);
  const accounts = module.get(BillingAccountsOperatorService);
  const syncs = module.get(InvoiceSyncsService);
  const due = module.get(DueSyncsService);
  return {
    sandbox,
    module,
    database,
    superuser,
    syncs,
    accounts,
    report: (customerId, failing) => module.get(InvoiceSyncsOperatorService).report(customerId, failing),
    customer: async (source, account) => {
      const { id } = await saveFakeCustomer(superuser);
      await accounts.link('operator:test', id, source, account);
      return id;
    },
    rows: async (customerId) => {
      const query = 'select * from invoice where customer_id = $1 order by source_id';
      return (await superuser.query<InvoiceTableRow>(query, [customerId])).rows;
    },
    sync: (customerId, source, stop = NEVER) => syncs.run(customerId, source, stop),
    syncDue: async () => {
      const lanes = due.lanes();
      for (let ran = -1; ran !== 0;) {
        ran = 0;
        await Promise.all(
          lanes.map(async ({ source, lane }) => {
            const { customerIds } = await due.find({ source, lane });
            ran += customerIds.length;
            await Promise.all(customerIds.map((customerId) => syncs.run(customerId, source, NEVER)));
          }),
        );
      }
    },
    close: async () => {
      await module.close();
      await sandbox.close();
      await superuser.end();
      await database.drop();
    },
  };
}
