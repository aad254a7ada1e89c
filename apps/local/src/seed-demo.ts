import { type DynamicModule, type INestApplicationContext, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { DataSource } from 'typeorm';
import { type Scope, SCOPES, TokensOperatorModule, TokensOperatorService } from '@platform/tokens';
import { AppConfig, ConfigModule } from '@platform/config';
import { DatabaseModule } from '@platform/database';
import { OperatorAccountsModule, OperatorAccountsService } from '@platform/operator-accounts';
import { BillingCalendar } from '@platform/time';
import { Customer, CustomersOperatorModule, CustomersOperatorService } from '@domains/customers';
import { AiConfigurationOperatorService, AiOperatorModule, AiPricesOperatorService } from '@domains/ai';
import { WebhooksOperatorModule, WebhooksOperatorService } from '@domains/events';
import {
  CustomerServiceEntity,
  type NewService,
  ServiceChangesOperatorModule,
  ServiceChangesOperatorService,
} from '@domains/services';
import { type NewStatusEvent, StatusEvent, StatusEventsOperatorService, StatusOperatorModule } from '@domains/status';
import {
  BillingAccount,
  BillingAccountsOperatorService,
  type BillingSourceName,
  Invoice,
  InvoicesOperatorModule,
  InvoicesOperatorService,
  InvoiceSyncModule,
} from '@domains/invoices';
import { SmsOperatorModule, SmsOperatorService } from '@domains/sms';
import { SupportOperatorModule, Ticket, TicketReply, TicketsOperatorService } from '@domains/support';

/** The demo customer and an operator, as far as those who try the service have left them. */
export interface Demo {
  /** With a token; undefined once the customer was erased. */
  customer?: { name: string; token: string };
  /** Whether the sandbox receives its webhooks. */
  receivesWebhooks: boolean;
  /** The e-mail address of an operator, and a link that logs it in once; no link if its account is deactivated. */
  operator: string;
  loginLink?: string;
}

const ACTOR = 'operator:demo';
const NUMBER = 'demo';
/** The demo customer's number until it has everything: a start that was ended before is gone on with by the next one. */
const UNFINISHED = 'demo-unfinished';
const RECEIVER = 'Sandbox';
const TOKEN_DAYS = 7;
const DAY_MS = 86_400_000;
const OPERATOR = 'demo@localhost';
const DEMO_MODEL = 'claude-haiku-4-5';

/** The demo customer's accounts in the sandbox's billing sources. */
const SANDBOX_ACCOUNTS = Object.entries({ stripe: 'cus_demo', fiken: '1001' }) as [BillingSourceName, string][];

/** The operator's services that create the demo customer. */
@Module({
  imports: [
    DatabaseModule.as('account_operator'),
    AiOperatorModule,
    CustomersOperatorModule,
    ServiceChangesOperatorModule.with(AiOperatorModule),
    InvoicesOperatorModule,
    InvoiceSyncModule,
    TokensOperatorModule,
    SmsOperatorModule,
    StatusOperatorModule,
    SupportOperatorModule,
    WebhooksOperatorModule,
    OperatorAccountsModule,
  ],
})
class DemoModule {
  static with(config: AppConfig): DynamicModule {
    return { module: DemoModule, imports: [ConfigModule.for(config)] };
  }
}

/** Creates the demo customer if there was none yet, and a new token for it at each start. */
export async function seedDemo(config: AppConfig): Promise<Demo> {
  const app = await NestFactory.createApplicationContext(DemoModule.with(config), {
    logger: false,
    abortOnError: false,
  });
  try {
    const { id, name, erasedAt } = await demoCustomer(app);
    const operator = { operator: OPERATOR, loginLink: await loginLink(app) };
    if (erasedAt) return { ...operator, receivesWebhooks: false };
    const { token } = await app.get(TokensOperatorService).issue(ACTOR, {
      customerId: id,
      scopes: Object.keys(SCOPES) as Scope[],
      expiresAt: new Date(Date.now() + TOKEN_DAYS * DAY_MS),
    });
    const { SANDBOX_URL, WEBHOOK_ALLOW_PRIVATE } = config;
    const receivesWebhooks =
      SANDBOX_URL !== undefined && WEBHOOK_ALLOW_PRIVATE && (await addReceiver(app, id, SANDBOX_URL));
    return { ...operator, customer: { name, token }, receivesWebhooks };
  } finally {
    await app.close();
  }
}

/** Of the operator, who is made if there was none yet; nothing for one who was deactivated since. */
async function loginLink(app: INestApplicationContext): Promise<string | undefined> {
  const accounts = app.get(OperatorAccountsService);
  const known = (await accounts.list()).find(({ email }) => email === OPERATOR);
  if (known?.active === false) return undefined;
  return (await accounts.invite(ACTOR, { email: OPERATOR, role: known?.role ?? 'admin' })).link;
}

/**
 * Makes the sandbox an endpoint of the demo customer, unless it has as many as there may be. At each start the sandbox has another port,
 * and knows no secret.
 */
async function addReceiver(app: INestApplicationContext, customerId: string, sandboxUrl: string): Promise<boolean> {
  const webhooks = app.get(WebhooksOperatorService);
  const { rows } = await webhooks.list({ customerId }, { limit: 500 });
  for (const { id, description } of rows) if (description === RECEIVER) await webhooks.remove(ACTOR, id);
  if (rows.filter(({ description }) => description !== RECEIVER).length >= app.get(AppConfig).WEBHOOK_ENDPOINTS)
    return false;
  const url = `${sandboxUrl}/webhooks/hook`;
  const { secret } = await webhooks.add(ACTOR, { customerId, url, description: RECEIVER });
  await fetch(`${sandboxUrl}/webhooks/secrets`, { method: 'PUT', body: JSON.stringify([secret]) });
  return true;
}

async function demoCustomer(app: INestApplicationContext): Promise<Customer> {
  const { manager } = app.get(DataSource);
  const known = await manager.findOneBy(Customer, { customerNumber: NUMBER });
  if (known) return known;
  const begun = await manager.findOneBy(Customer, { customerNumber: UNFINISHED });
  const { id } =
    begun ??
    (await app.get(CustomersOperatorService).create(ACTOR, {
      name: 'Fjordlys AS (demo)',
      organizationNumber: '123456785',
      email: 'it@fjordlys.example',
      customerNumber: UNFINISHED,
    }));
  await seedCustomer(app, id);
  await seedAccount(app, id);
  await manager.update(Customer, { id }, { customerNumber: NUMBER });
  return manager.findOneByOrFail(Customer, { id });
}

/** Creates services of the demo customer with their settings and status, as far as they are missing. */
async function seedCustomer(app: INestApplicationContext, customerId: string): Promise<void> {
  const hosting = await service(app, { customerId, type: 'hosting', name: 'Web hosting', config: { disk_gb: 50 } });
  await service(app, { customerId, type: 'ai', name: 'AI assistant', config: { monthly_included_nok: 500 } });
  await app.get(AiPricesOperatorService).addExamples();
  await app.get(AiConfigurationOperatorService).configure(ACTOR, customerId, { enabled: true, model: DEMO_MODEL });
  await service(app, { customerId, type: 'sms', name: 'SMS' });
  await app.get(SmsOperatorService).configure(ACTOR, customerId, { enabled: true, senderId: 'Fjordlys' });
  const maintenance = await statusEvent(app, {
    serviceId: hosting.id,
    status: 'maintenance',
    message: 'New disks in the storage servers',
    startsAt: new Date(Date.now() - DAY_MS),
  });
  if (!maintenance.endsAt) await app.get(StatusEventsOperatorService).end(ACTOR, maintenance.id);
  await statusEvent(app, { serviceId: hosting.id, status: 'degraded', message: 'Slow replies from one web server' });
}

async function service(app: INestApplicationContext, given: NewService): Promise<CustomerServiceEntity> {
  const { customerId, type } = given;
  const known = await app.get(DataSource).manager.findOneBy(CustomerServiceEntity, { customerId, type });
  return known ?? app.get(ServiceChangesOperatorService).add(ACTOR, given);
}

async function statusEvent(app: INestApplicationContext, given: NewStatusEvent): Promise<StatusEvent> {
  const { serviceId, status } = given;
  const known = await app.get(DataSource).manager.findOneBy(StatusEvent, { serviceId, status });
  return known ?? app.get(StatusEventsOperatorService).post(ACTOR, given);
}

/**
 * Creates an invoice, a ticket and billing links for the demo customer, as far as they are missing. The worker's first sync then
 * fetches its invoices from the sandbox.
 */
async function seedAccount(app: INestApplicationContext, customerId: string): Promise<void> {
  const { manager } = app.get(DataSource);
  const calendar = app.get(BillingCalendar);
  const today = calendar.dateOf(new Date());
  if (!(await manager.existsBy(Invoice, { customerId })))
    await app.get(InvoicesOperatorService).add(ACTOR, {
      customerId,
      number: '1001',
      amount: 125_050n,
      issueDate: today,
      dueDate: calendar.daysAfter(today, 14),
    });
  if (app.get(AppConfig).SANDBOX_URL !== undefined) {
    for (const [source, account] of SANDBOX_ACCOUNTS)
      if (!(await manager.existsBy(BillingAccount, { customerId, source })))
        await app.get(BillingAccountsOperatorService).link(ACTOR, customerId, source, account);
  }
  const ticket = { title: 'Slow web site', body: 'Since this morning every page takes seconds.' };
  const known = await manager.findOneBy(Ticket, { customerId });
  const id = known?.id ?? crypto.randomUUID();
  if (!known) await manager.insert(Ticket, { customerId, id, ...ticket });
  const reply = {
    body: 'One of the web servers is overloaded; we are on it.',
    author: 'operator',
    internal: false,
  } as const;
  if (!(await manager.existsBy(TicketReply, { customerId, ticketId: id })))
    await app.get(TicketsOperatorService).reply(ACTOR, id, reply);
}
