import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { generateToken, hashToken } from '@platform/tokens';

/** Adds customers with AI, credit that lasts for the run, and a token each. @returns the tokens */
export async function seedAiCustomers(url: string, count: number): Promise<string[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query(
    `insert into ai_model_price (model, valid_from, input, cache_write_5m, cache_write_1h, cache_read, output)
     values ('bench', '2020-01-01', 10, 12.5, 20, 1, 50)`,
  );
  const tokens: string[] = [];
  for (let index = 0; index < count; index++) {
    const [id, token] = [randomUUID(), generateToken()];
    await client.query(
      `insert into customer (id, name, organization_number, customer_number, email) values ($1, $2, '123456785', $2, 'it@example.com')`,
      [id, String(index)],
    );
    await client.query('insert into service_token (id, customer_id, token_hash, scopes) values ($1, $2, $3, $4)', [
      randomUUID(),
      id,
      hashToken(token),
      ['ai:use'],
    ]);
    await client.query(`insert into ai_settings (customer_id, enabled, model) values ($1, true, 'bench')`, [id]);
    await client.query(
      `select app.ai_credit($1, to_char(now(), 'YYYY-MM'), now(), 'invoice_topup', 1000000, null, 'operator:bench', null, null)`,
      [id],
    );
    tokens.push(token);
  }
  await client.query('vacuum analyze');
  await client.end();
  return tokens;
}
