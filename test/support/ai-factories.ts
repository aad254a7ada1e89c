import { randomUUID } from 'node:crypto';
import type { Client } from 'pg';
import { billingMonth } from './billing-days';
import { saveFakeCustomer } from './factories/customer.factory';

/** Rates in NOK per million tokens. */
export interface TestPrice {
  input: string;
  write5m: string;
  write1h: string;
  read: string;
  output: string;
}

/** 1 NOK per thousand tokens in, 5 out, for costs that are easy to read. */
export const PLAIN_PRICE: TestPrice = { input: '1000', write5m: '1250', write1h: '2000', read: '100', output: '5000' };

/** Adds a new model with a price. @returns the model */
export async function saveModelPrice(client: Client, price: TestPrice = PLAIN_PRICE): Promise<string> {
  const model = `model-${randomUUID()}`;
  await client.query(
    `insert into ai_model_price (model, valid_from, input, cache_write_5m, cache_write_1h, cache_read, output)
     values ($1, '2020-01-01', $2, $3, $4, $5, $6)`,
    [model, price.input, price.write5m, price.write1h, price.read, price.output],
  );
  return model;
}

/** AI settings of a test customer; credit in NOK. */
export interface TestAiCustomer {
  model: string;
  enabled?: boolean;
  included?: number;
  purchased?: number;
  monthlyLimit?: number | null;
  month?: string;
  keyCiphertext?: Buffer | null;
}

/** Adds a customer with an AI service, settings, and an account in `month`. @returns the customer's id */
export async function saveAiCustomer(client: Client, ai: TestAiCustomer): Promise<string> {
  const { id } = await saveFakeCustomer(client);
  await enableAi(client, id, ai);
  return id;
}

/** Enables AI for a customer. */
export async function enableAi(client: Client, customerId: string, ai: TestAiCustomer): Promise<void> {
  const { enabled = true, included = 0, purchased = 0, monthlyLimit = null, keyCiphertext = null } = ai;
  const month = ai.month ?? billingMonth();
  await client.query(`insert into customer_service (customer_id, type, name, config) values ($1, 'ai', 'AI', $2)`, [
    customerId,
    { monthly_included_nok: included },
  ]);
  await client.query(
    `insert into ai_settings (customer_id, enabled, model, monthly_limit, key_ciphertext) values ($1, $2, $3, $4, $5)`,
    [customerId, enabled, ai.model, monthlyLimit, keyCiphertext],
  );
  await client.query('insert into ai_account (customer_id) values ($1)', [customerId]);
  await client.query('select app.ai_roll_over($1, $2, $3)', [customerId, month, new Date(`${month}-01T00:00:00Z`)]);
  if (purchased > 0) {
    await client.query(
      `select app.ai_credit($1, $2, now(), 'invoice_topup', $3, 'test', 'operator:test', null, null)`,
      [customerId, month, purchased],
    );
  }
}
