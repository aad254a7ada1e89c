import type { Client } from 'pg';

/** Enables SMS for a customer. `dailyCap` null means the service's default. */
export async function allowSms(client: Client, customerId: string, dailyCap: number | null = null): Promise<void> {
  await client.query(
    `insert into sms_settings (customer_id, enabled, sender_id, daily_cap) values ($1, true, 'Acme', $2)
     on conflict (customer_id) do update set enabled = true, sender_id = 'Acme', daily_cap = excluded.daily_cap`,
    [customerId, dailyCap],
  );
}
