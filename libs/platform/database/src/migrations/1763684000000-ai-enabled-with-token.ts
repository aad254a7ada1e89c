import type { MigrationInterface, QueryRunner } from 'typeorm';
import { sqlFile } from './sql-file';

const AUTHENTICATE = 'app.authenticate(bytea)';

/**
 * A token's look-up also tells whether AI is enabled, so that an AI message is refused before its body is read. Replicas of
 * the former version name the columns that they read, so the new function serves them too.
 */
export class AiEnabledWithToken1763684000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await replaceAuthenticate(runner, sqlFile('platform/tokens/src/authentication/sql/authenticate.sql'));
  }

  async down(runner: QueryRunner): Promise<void> {
    await replaceAuthenticate(
      runner,
      `create function app.authenticate(hash bytea) returns table (
        token_id uuid, customer_id uuid, scopes text[], expires_at timestamptz,
        requests_per_minute integer, ai_per_minute integer, sms_per_minute integer)
      language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
        select t.id, t.customer_id, t.scopes, t.expires_at, c.requests_per_minute, c.ai_per_minute, c.sms_per_minute
        from service_token t join customer c on c.id = t.customer_id
        where t.token_hash = hash and t.active and c.active and (t.expires_at is null or t.expires_at > app.now())
      $$`,
    );
  }
}

/** It runs as the operator's role, which may make functions in the schema only while it is given this one. */
async function replaceAuthenticate(runner: QueryRunner, definition: string): Promise<void> {
  await runner.query(`drop function ${AUTHENTICATE}`);
  await runner.query(definition);
  await runner.query(`revoke all on function ${AUTHENTICATE} from public`);
  await runner.query(`grant execute on function ${AUTHENTICATE} to customer_api`);
  await runner.query(`grant create on schema app to account_operator`);
  await runner.query(`alter function ${AUTHENTICATE} owner to account_operator`);
  await runner.query(`revoke create on schema app from account_operator`);
}
