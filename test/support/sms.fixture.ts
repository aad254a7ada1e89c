import { Test, type TestingModule } from '@nestjs/testing';
import type { Client } from 'pg';
import { type AppConfig, ConfigModule } from '@platform/config';
import { CustomerContextService } from '@platform/context';
import { DatabaseModule } from '@platform/database';
import {
  DeliveryReportsService,
  SmsLogService,
  SmsModule,
  type SmsOrder,
  type SmsRow,
  SmsSendingService,
} from '@domains/sms';
import { type Sandbox, startSandbox } from '../../apps/sandbox/src/sandbox';
import { type ReportServer, startReportServer } from './report-server';
import { saveFakeCustomer } from './factories/customer.factory';
import { allowSms } from './factories/sms-settings.factory';
import { connectAsSuperuser, createTestDatabase, type TestDatabase } from './test-database';

/** The columns of sms_message that tests use. */
export interface SmsTableRow {
  id: string;
  status: string;
  error_code: string | null;
  gateway_message_id: string | null;
  delivered_at: Date | null;
}

/** The SMS domain with a real database and the sandbox's gateways. */
export interface SmsFixture {
  sandbox: Sandbox;
  module: TestingModule;
  config: AppConfig;
  superuser: Client;
  reports: ReportServer;
  /** Creates a customer with SMS enabled. */
  customer(dailyCap?: number): Promise<string>;
  send(customerId: string, order?: Partial<SmsOrder>): Promise<SmsRow>;
  list(customerId: string, limit?: number): Promise<SmsRow[]>;
  rows(customerId: string): Promise<SmsTableRow[]>;
  close(): Promise<void>;
}

/** Creates the fixture. `settings` are environment variables. */
export async function createSmsFixture(settings: Record<string, string> = {}): Promise<SmsFixture> {
  const sandbox = await startSandbox();
  const reports = await startReportServer();
  sandbox.link.gates.set('customer-api', `${reports.url}/sms/delivery-reports/link-mobility`);
  const database: TestDatabase = await createTestDatabase({
    SANDBOX_URL: sandbox.url,
    SMS_REPORT_URL: reports.url,
    SMS_GATEWAY_TIMEOUT_MS: '1500',
    ...settings,
  });
  const module = await Test.createTestingModule({
    imports: [ConfigModule.for(database.config), DatabaseModule.as('customer_api'), SmsModule],
  })
    .compile()
    .catch(async (error: unknown) => {
      // Refused settings.
      await Promise.all([sandbox.close(), reports.close(), database.drop()]);
      throw error;
    });
  module.enableShutdownHooks();
  reports.serve(module.get(DeliveryReportsService));
  const superuser = await connectAsSuperuser(database);
  const as = <T>(customerId: string, work: () => Promise<T>) =>
    module.get(CustomerContextService).run(customerId, work);
  return {
    sandbox,
    module,
    config: database.config,
    superuser,
    reports,
    customer: async (dailyCap) => {
      const { id } = await saveFakeCustomer(superuser);
      await allowSms(superuser, id, dailyCap);
      return id;
    },
    send: (customerId, order) =>
      as(customerId, () =>
        module.get(SmsSendingService).send('token:test', { to: '+4790000000', message: 'Hello', ...order }),
      ),
    list: async (customerId, limit = 200) =>
      (await as(customerId, () => module.get(SmsLogService).list({ limit }))).items,
    rows: async (customerId) => {
      const { rows } = await superuser.query<SmsTableRow>(
        'select * from sms_message where customer_id = $1 order by created_at desc, id desc',
        [customerId],
      );
      return rows;
    },
    close: async () => {
      await sandbox.elks46.reportsSettled();
      await sandbox.link.reportsSettled();
      await sandbox.close();
      await reports.close();
      await module.close();
      await superuser.end();
      await database.drop();
    },
  };
}
