import type { INestApplicationContext } from '@nestjs/common';
import { AppConfig } from '@platform/config';
import { BillingAccountsOperatorService, InvoicesOperatorService } from '@domains/invoices';
import { SmsOperatorService } from '@domains/sms';
import { TicketsOperatorService, Ticket } from '@domains/support';
import { DataSource } from 'typeorm';

/** The demo customer's accounts in the sandbox's billing sources. */
const SANDBOX_ACCOUNTS = { stripe: 'cus_demo', fiken: '1001' } as const;
const DAY_MS = 86_400_000;

/**
 * Creates a ticket, SMS and billing links for the demo customer. The worker's first sync then fetches its invoices from
 * the sandbox.
 */
export async function seedAccount(app: INestApplicationContext, actor: string, customerId: string): Promise<void> {
  await app.get(SmsOperatorService).configure(actor, customerId, { enabled: true, senderId: 'Fjordlys' });
  const date = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10);
  await app.get(InvoicesOperatorService).add(actor, {
    customerId,
    number: '1001',
    amount: 125_050n,
    issueDate: date(0),
    dueDate: date(14),
  });
  if (app.get(AppConfig).SANDBOX_URL !== undefined) {
    for (const [source, account] of Object.entries(SANDBOX_ACCOUNTS)) {
      await app
        .get(BillingAccountsOperatorService)
        .link(actor, customerId, source as keyof typeof SANDBOX_ACCOUNTS, account);
    }
  }
  const id = crypto.randomUUID();
  const ticket = { customerId, id, title: 'Slow web site', body: 'Since this morning every page takes seconds.' };
  await app.get(DataSource).manager.insert(Ticket, ticket);
  const reply = {
    body: 'One of the web servers is overloaded; we are on it.',
    author: 'operator',
    internal: false,
  } as const;
  await app.get(TicketsOperatorService).reply(actor, id, reply);
}
