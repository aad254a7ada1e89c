import { randomUUID } from 'node:crypto';
import { faker } from '@faker-js/faker';
import type { Client } from 'pg';

/** Adds a customer that has nothing yet. @returns its id. */
export async function insertCustomer(superuser: Client): Promise<string> {
  const id = randomUUID();
  await superuser.query(
    `insert into customer (id, name, organization_number, customer_number, email) values ($1, $2, '974760673', $3, $4)`,
    [id, faker.company.name(), id, faker.internet.email()],
  );
  return id;
}

/** Lets a customer send SMS. `dailyCap` null means the service's default. */
export async function allowSms(superuser: Client, customerId: string, dailyCap: number | null = null): Promise<void> {
  await superuser.query(
    `insert into sms_settings (customer_id, enabled, sender_id, daily_cap) values ($1, true, 'Acme', $2)
     on conflict (customer_id) do update set enabled = true, sender_id = 'Acme', daily_cap = excluded.daily_cap`,
    [customerId, dailyCap],
  );
}
