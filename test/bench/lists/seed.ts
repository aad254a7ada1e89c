import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { generateToken, hashToken } from '@platform/tokens';

/** Number of rows by kind; each customer has the same share. */
export interface Amounts {
  customers: number;
  invoices: number;
  sms: number;
  tickets: number;
}

/** Fills a migrated database. @returns one token per customer */
export async function seed(url: string, amounts: Amounts): Promise<string[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  const tokens: string[] = [];
  for (let index = 0; index < amounts.customers; index++) {
    const [customerId, token] = [randomUUID(), generateToken()];
    await client.query(
      `insert into customer (id, name, organization_number, customer_number, email) values ($1, $2, '123456785', $3, 'a@example.com')`,
      [customerId, `Customer ${index}`, String(index)],
    );
    await client.query(`insert into service_token (id, customer_id, token_hash, scopes) values ($1, $2, $3, $4)`, [
      randomUUID(),
      customerId,
      hashToken(token),
      ['invoices:read', 'sms:read', 'support:read'],
    ]);
    tokens.push(token);
  }
  // Rows of different customers are interleaved, as in production.
  const each = (total: number) => `generate_series(1, ${Math.ceil(total / amounts.customers)}) n, customer c`;
  const at = `now() - n * interval '1 minute' - random() * interval '1 minute'`;
  await client.query(`
    insert into invoice (customer_id, id, source, source_id, number, status, currency, amount, amount_due, issue_date, due_date, created_at)
    select c.id, gen_random_uuid(), 'stripe', 'in_' || n, 'N-' || n, (array['open', 'paid', 'paid', 'void'])[1 + n % 4], 'NOK',
      100 * n, 100 * n, current_date - n % 365, current_date - n % 365 + 14, ${at} from ${each(amounts.invoices)}`);
  await client.query(`
    insert into sms_message (customer_id, id, recipient, sender_id, message, status, segments, encoding, gateway, created_at)
    select customer, app.first_id(at), '+4790000000', 'Acme', 'Your order ' || n || ' is ready', 'delivered', 1, 'GSM-7', '46elks', at
    from (select c.id as customer, n, ${at} as at from ${each(amounts.sms)}) m`);
  await client.query(`
    insert into support_ticket (customer_id, id, title, body, created_at)
    select c.id, gen_random_uuid(), 'Ticket ' || n, 'Something is broken', ${at} from ${each(amounts.tickets)}`);
  await client.query(`
    insert into support_ticket_reply (customer_id, id, ticket_id, author, body)
    select customer_id, gen_random_uuid(), id, 'operator', 'We are looking into it' from support_ticket`);
  await client.query('vacuum analyze');
  await client.end();
  return tokens;
}
