import type { QueryRunner } from 'typeorm';

/**
 * What the ledger's functions are told of each call. `owner` is the place of the call's customer in the batch's list of
 * customers. The order of the fields is that of `ledger/credit-ledger.statements.ts`.
 */
export async function createCallTypes(runner: QueryRunner): Promise<void> {
  await runner.query(`
    create type app.ai_reservation_request as (
      id uuid, input_tokens integer, cache text, max_tokens integer, least_tokens integer, may_shorten boolean,
      request_id text, token_id uuid)`);
  await runner.query(`
    create type app.ai_settlement as (
      owner integer, id uuid, input integer, write_5m integer, write_1h integer, read integer, output integer,
      upstream_id text)`);
  await runner.query(`create type app.ai_release_request as (owner integer, id uuid, outcome text, reason text)`);
}
